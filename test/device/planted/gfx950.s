// Loads straight into shared memory, which gfx950 has in 16 bytes a lane.
// A line with a planted fault names the rule that it breaks; all others are right.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.text

// Read before anything was waited for.
no_wait_at_all:
	s_mov_b32 m0, 0
	buffer_load_dwordx4 v0, s[4:7], 0 offen lds
	ds_read_b128 v[4:7], v1 // fault: shared-load-early
	s_endpgm
.Lfunc_end_no_wait_at_all:

// The barrier does not wait for the load.
barrier_alone:
	s_mov_b32 m0, 0
	buffer_load_dwordx4 v0, s[4:7], 0 offen lds
	s_waitcnt vmcnt(0)
	s_barrier
.Lring:
	global_load_lds_dwordx4 v0, s[0:1]
	s_barrier
	ds_read_b128 v[4:7], v1 // fault: shared-load-early
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_barrier
	s_cbranch_scc1 .Lring
	s_endpgm
.Lfunc_end_barrier_alone:

// Two stages ahead of the one that is read: the wait leaves the newest in flight.
ring:
	buffer_load_dwordx4 v0, s[4:7], 0 offen lds
	buffer_load_dwordx4 v0, s[4:7], 0 offen offset:64 lds
	s_waitcnt vmcnt(1)
	s_barrier
.Lnext:
	buffer_load_dwordx4 v0, s[4:7], 0 offen offset:128 lds
	ds_read_b128 v[4:7], v1
	s_waitcnt vmcnt(1) lgkmcnt(0)
	s_barrier
	s_cbranch_scc1 .Lnext
	s_endpgm
.Lfunc_end_ring:

	.rodata
	.amdhsa_kernel no_wait_at_all
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
	.amdhsa_kernel barrier_alone
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
	.amdhsa_kernel ring
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
