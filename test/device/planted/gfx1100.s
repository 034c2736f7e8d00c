// Rules of gfx11: stores have a counter of their own, vcc is a register of 32 lanes.
// A line with a planted fault names the rule that it breaks; all others are right.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text

// A store is not counted with loads, so that the load is the newest.
store_counter:
	global_load_b32 v4, v0, s[0:1]
	global_store_b32 v0, v9, s[0:1] offset:64
	s_waitcnt vmcnt(1)
	v_add_f32 v10, v4, v9 // fault: early-use
	s_waitcnt_vscnt null, 0x0
	v_add_f32 v10, v4, v9 // fault: early-use
	s_waitcnt vmcnt(0)
	v_add_f32 v10, v4, v9
	s_endpgm
.Lfunc_end_store_counter:

// Each store and load that a barrier passes.
shared_memory:
	ds_store_b32 v1, v0
	s_barrier // fault: shared-write-at-barrier
	ds_load_b32 v3, v0
	v_dual_mov_b32 v4, v3 :: v_dual_mov_b32 v5, v1 // fault: early-use
	s_barrier // fault: shared-write-at-barrier shared-read-at-barrier
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_endpgm
.Lfunc_end_shared_memory:

// A load into vcc_lo.
condition_codes:
	s_load_b32 vcc_lo, s[0:1], 0x0
	v_cndmask_b32_e32 v1, v2, v3, vcc_lo // fault: early-use
	s_waitcnt lgkmcnt(0)
	s_cbranch_vccnz .Lend
.Lend:
	s_endpgm
.Lfunc_end_condition_codes:

	.rodata
	.amdhsa_kernel store_counter
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
	.end_amdhsa_kernel
	.amdhsa_kernel shared_memory
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
	.end_amdhsa_kernel
	.amdhsa_kernel condition_codes
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
	.end_amdhsa_kernel
