// Copies into shared memory that have counters of their own: asynchronous ones of the lanes, and tiles by the tensor data
// mover; and the barrier of a cluster. A line with a planted fault names the rule that it breaks; all others are right.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.text

// The counters of other loads say nothing of them.
other_counters:
	global_load_async_to_lds_b128 v1, v0, s[0:1]
	s_wait_loadcnt 0x0
	s_wait_tensorcnt 0x0
	ds_load_b128 v[4:7], v1 // fault: shared-load-early
	s_wait_asynccnt 0x0
	ds_load_b128 v[4:7], v1
	s_wait_dscnt 0x0
	s_endpgm
.Lfunc_end_other_counters:

tensor_alone:
	tensor_load_to_lds s[8:11], s[12:19]
	s_wait_asynccnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	ds_load_b128 v[4:7], v1 // fault: shared-load-early
	s_wait_tensorcnt 0x0
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	ds_load_b128 v[4:7], v1
	s_wait_dscnt 0x0
	s_endpgm
.Lfunc_end_tensor_alone:

// Two stages ahead of the one that is read; the second round's barrier lacks its wait.
ring:
	global_load_async_to_lds_b128 v1, v0, s[0:1]
	global_load_async_to_lds_b128 v1, v0, s[0:1] offset:64
	s_wait_asynccnt 0x1
	s_barrier_signal -1
	s_barrier_wait -1
.Lnext:
	global_load_async_to_lds_b128 v1, v0, s[0:1] offset:128
	ds_load_b128 v[4:7], v1
	s_wait_asynccnt 0x1
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	s_cbranch_scc1 .Lnext
	tensor_load_to_lds s[8:11], s[12:19]
	s_barrier_signal -1
	s_barrier_wait -1
	ds_load_b128 v[4:7], v1 // fault: shared-load-early
	s_wait_tensorcnt 0x0
	s_barrier_signal -1 // fault: shared-read-at-barrier
	s_barrier_wait -1
	s_endpgm
.Lfunc_end_ring:

// A register past 255 is named by its whole number.
high_registers:
	s_set_vgpr_msb 64
	ds_load_b128 v[4:7] /*v[260:263]*/, v1
	v_mov_b32 v8 /*v264*/, v4
	s_set_vgpr_msb 0x4001
	v_mov_b32 v8, v4 /*v260*/ // fault: early-use
	s_endpgm
.Lfunc_end_high_registers:

// Blocks of a cluster share a tile: the wave that comes to its block's barrier first arrives at the cluster's for all of
// them. The second round has a read outstanding there, the third reads a tile that nothing waited for.
cluster:
	tensor_load_to_lds s[8:11], s[12:19]
	s_wait_tensorcnt 0x0
	s_barrier_signal_isfirst -1
	s_barrier_wait -1
	s_cbranch_scc0 .Lothers
	s_barrier_signal -3
.Lothers:
	s_barrier_wait -3
	ds_load_b128 v[4:7], v1
	s_barrier_wait -3 // fault: shared-read-at-barrier
	s_wait_dscnt 0x0
	tensor_load_to_lds s[8:11], s[12:19]
	s_barrier_signal -1
	s_barrier_wait -1
	s_barrier_signal -3
	s_barrier_wait -3
	ds_load_b128 v[4:7], v1 // fault: shared-load-early
	s_wait_dscnt 0x0
	s_endpgm
.Lfunc_end_cluster:

	.rodata
	.amdhsa_kernel other_counters
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
	.end_amdhsa_kernel
	.amdhsa_kernel tensor_alone
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
	.end_amdhsa_kernel
	.amdhsa_kernel ring
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
	.end_amdhsa_kernel
	.amdhsa_kernel high_registers
		.amdhsa_next_free_vgpr 300
		.amdhsa_next_free_sgpr 32
	.end_amdhsa_kernel
	.amdhsa_kernel cluster
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
	.end_amdhsa_kernel
