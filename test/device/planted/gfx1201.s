// Rules of gfx12: a counter for each kind of access, and barriers in two halves.
// A line with a planted fault names the rule that it breaks; all others are right.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1201"
	.text

// Each wait is about one kind.
counters:
	buffer_load_b128 v[4:7], v0, s[4:7], null offen
	ds_load_b32 v8, v0
	s_load_b64 s[12:13], s[0:1], 0x0
	global_store_b32 v0, v9, s[0:1]
	s_wait_storecnt 0x0
	v_mov_b32 v10, v4 // fault: early-use
	v_mov_b32 v11, v8 // fault: early-use
	s_add_co_u32 s14, s12, 1 // fault: early-use
	s_wait_kmcnt 0x0
	s_add_co_u32 s14, s12, 1
	s_wait_dscnt 0x0
	v_mov_b32 v11, v8
	s_wait_loadcnt 0x0
	v_mov_b32 v10, v7
	s_endpgm
.Lfunc_end_counters:

// Loads in the high byte, shared memory in the low one.
two_counters_at_once:
	global_load_b32 v4, v0, s[0:1]
	global_load_b32 v5, v0, s[0:1] offset:4
	ds_load_b32 v8, v0
	ds_load_b32 v9, v0 offset:4
	s_wait_loadcnt_dscnt 0x100
	v_mov_b32 v10, v4
	v_mov_b32 v11, v9
	v_mov_b32 v10, v5 // fault: early-use
	s_wait_loadcnt_dscnt 0x1
	v_mov_b32 v10, v5
	s_endpgm
.Lfunc_end_two_counters_at_once:

// In any order.
scalar_loads:
	s_load_b32 s4, s[0:1], 0x0
	s_load_b32 s5, s[0:1], 0x4
	s_wait_kmcnt 0x1
	s_add_co_u32 s6, s4, 1 // fault: early-use
	s_wait_kmcnt 0x0
	s_endpgm
.Lfunc_end_scalar_loads:

// The rules look at accesses that are outstanding where the wave arrives, not where it waits.
store_at_barrier:
	ds_store_b32 v1, v0
	s_barrier_signal -1 // fault: shared-write-at-barrier
	s_wait_dscnt 0x0
	s_barrier_wait -1
	ds_load_b32 v3, v0
	s_barrier_signal -1 // fault: shared-read-at-barrier
	s_barrier_wait -1
	s_wait_dscnt 0x0
	v_mov_b32 v4, v3
	s_endpgm
.Lfunc_end_store_at_barrier:

// Global loads may stay in flight.
prefetch_over_a_barrier:
	buffer_load_b128 v[4:7], v0, s[4:7], null offen
	ds_store_b32 v1, v0
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	s_wait_loadcnt 0x0
	v_mov_b32 v10, v4
	s_endpgm
.Lfunc_end_prefetch_over_a_barrier:

// Arriving and waiting by turns, and nothing between.
halves:
	s_barrier_signal -1
	ds_store_b32 v1, v0 // fault: barrier-halves
	s_barrier_wait -1
	s_barrier_wait -1 // fault: barrier-halves
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_signal -1 // fault: barrier-halves
	s_endpgm // fault: barrier-halves
.Lfunc_end_halves:

// A wave that has not arrived waits for good.
one_way_arrives:
	s_cbranch_scc1 .Lskip
	s_barrier_signal -1
.Lskip:
	s_barrier_wait -1 // fault: barrier-halves
	s_endpgm
.Lfunc_end_one_way_arrives:

// global_inv is counted with loads, global_wb with stores.
waits_of_fences:
	global_load_b32 v4, v0, s[0:1]
	global_inv scope:SCOPE_SE
	s_wait_loadcnt 0x1
	v_mov_b32 v10, v4
	global_wb scope:SCOPE_SE
	s_wait_storecnt 0x0
	s_endpgm
.Lfunc_end_waits_of_fences:

// As gfx9's, in waves of 32 lanes.
descriptor_by_lane:
	s_mov_b32 s12, exec_lo
.Ldescriptor:
	v_readfirstlane_b32 s4, v2
	v_readfirstlane_b32 s5, v3
	v_cmp_eq_u64_e32 vcc_lo, s[4:5], v[2:3]
	s_and_saveexec_b32 s8, vcc_lo
	buffer_load_b128 v[4:7], v0, s[4:7], null offen // fault: waterfall
	s_xor_b32 exec_lo, exec_lo, s8
	s_cbranch_execnz .Ldescriptor
	s_mov_b32 exec_lo, s12
	s_wait_loadcnt 0x0
	s_endpgm
.Lfunc_end_descriptor_by_lane:

	.rodata
	.amdhsa_kernel counters
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
	.end_amdhsa_kernel
	.amdhsa_kernel two_counters_at_once
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
	.end_amdhsa_kernel
	.amdhsa_kernel scalar_loads
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
	.end_amdhsa_kernel
	.amdhsa_kernel store_at_barrier
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
	.end_amdhsa_kernel
	.amdhsa_kernel prefetch_over_a_barrier
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
	.end_amdhsa_kernel
	.amdhsa_kernel halves
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
	.end_amdhsa_kernel
	.amdhsa_kernel one_way_arrives
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
	.end_amdhsa_kernel
	.amdhsa_kernel waits_of_fences
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
	.end_amdhsa_kernel
	.amdhsa_kernel descriptor_by_lane
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
	.end_amdhsa_kernel
