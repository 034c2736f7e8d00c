// Faults of every rule that gfx942 can break: loads and stores of global memory are counted together.
// A line with a planted fault names the rule that it breaks; all others are right.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.text

// A store of the end of a round is outstanding at the barrier that begins the next.
store_across_the_back_edge:
.Lback:
	s_barrier // fault: shared-write-at-barrier
	ds_read_b32 v3, v0
	s_waitcnt lgkmcnt(0)
	ds_write_b32 v1, v3
	s_sub_u32 s0, s0, 1
	s_cmp_lg_u32 s0, 0
	s_cbranch_scc1 .Lback
	s_endpgm
.Lfunc_end_store_across_the_back_edge:

// Its right twin.
store_waited_for:
.Lback_waited:
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v3, v0
	s_waitcnt lgkmcnt(0)
	ds_write_b32 v1, v3
	s_sub_u32 s0, s0, 1
	s_cmp_lg_u32 s0, 0
	s_cbranch_scc1 .Lback_waited
	s_endpgm
.Lfunc_end_store_waited_for:

// Only the way past the wait is wrong.
store_on_one_way:
	ds_write_b32 v1, v0
	s_cbranch_scc1 .Lover
	s_waitcnt lgkmcnt(0)
.Lover:
	s_barrier // fault: shared-write-at-barrier
	s_endpgm
.Lfunc_end_store_on_one_way:

// The place that is read may be refilled behind the barrier.
read_at_barrier:
	ds_read_b32 v3, v0
	ds_write_b32 v1, v2
	s_waitcnt lgkmcnt(1)
	s_barrier // fault: shared-write-at-barrier
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b64 v[4:5], v0
	s_barrier // fault: shared-read-at-barrier
	s_waitcnt lgkmcnt(0)
	v_add_f32 v6, v4, v5
	s_endpgm
.Lfunc_end_read_at_barrier:

// A permutation of lanes touches no memory.
exchange_at_barrier:
	ds_bpermute_b32 v3, v0, v1
	s_barrier
	s_waitcnt lgkmcnt(0)
	v_mov_b32 v4, v3
	s_endpgm
.Lfunc_end_exchange_at_barrier:

// Global loads return in order, and stores are counted with them.
use_before_wait:
	global_load_dwordx4 v[4:7], v0, s[0:1]
	global_load_dword v8, v0, s[0:1] offset:16
	global_store_dword v0, v9, s[0:1] offset:64
	v_add_f32 v10, v4, v9 // fault: early-use
	s_waitcnt vmcnt(2)
	v_add_f32 v10, v7, v9
	v_add_f32 v11, v8, v9 // fault: early-use
	s_waitcnt vmcnt(1)
	v_add_f32 v11, v8, v9
	s_endpgm
.Lfunc_end_use_before_wait:

// Addresses, data of stores and operands of matrix instructions are uses.
use_as_address_or_data:
	ds_read_b64 v[4:5], v0
	ds_read_b64 v[6:7], v0 offset:8
	global_store_dwordx2 v1, v[4:5], s[0:1] // fault: early-use
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], v[6:7], a[0:3] // fault: early-use
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], v[6:7], a[0:3]
	ds_read_b32 v2, v0
	buffer_load_dword v3, v2, s[4:7], 0 offen // fault: early-use
	s_endpgm
.Lfunc_end_use_as_address_or_data:

// A value written while a load is in flight is lost when the load returns.
overwritten_in_flight:
	global_load_dword v4, v0, s[0:1]
	v_mov_b32 v4, 0 // fault: early-use
	ds_read_b32 v4, v0 // fault: early-use
	s_endpgm
.Lfunc_end_overwritten_in_flight:

// Loads of one kind return in order.
loaded_twice:
	global_load_dword v4, v0, s[0:1]
	global_load_dword v4, v1, s[0:1]
	s_waitcnt vmcnt(0)
	v_mov_b32 v5, v4
	s_endpgm
.Lfunc_end_loaded_twice:

// Scalar loads return in any order: nothing but a wait to zero covers them. Those of shared memory do.
scalar_loads:
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	s_load_dwordx2 s[6:7], s[0:1], 0x8
	s_waitcnt lgkmcnt(1)
	s_add_u32 s8, s4, s5 // fault: early-use
	s_waitcnt lgkmcnt(0)
	s_add_u32 s8, s4, s7
	ds_read_b32 v3, v0
	s_load_dword s4, s[0:1], 0x0
	ds_read_b32 v4, v0 offset:4
	s_waitcnt lgkmcnt(1)
	v_mov_b32 v5, v3
	v_mov_b32 v6, s4 // fault: early-use
	s_endpgm
.Lfunc_end_scalar_loads:

// A register loaded a round ago is used with too weak a wait: one store more has left than it counts.
load_of_the_last_round:
	global_load_dword v4, v0, s[0:1]
.Lround:
	s_waitcnt vmcnt(1)
	v_add_f32 v6, v6, v4 // fault: early-use
	global_load_dword v4, v0, s[0:1]
	s_sub_u32 s0, s0, 1
	s_cmp_lg_u32 s0, 0
	s_cbranch_scc1 .Lround
	s_endpgm
.Lfunc_end_load_of_the_last_round:

// An atomic that returns a value is a load, one that does not is none.
atomic_returns:
	global_atomic_add v4, v0, v1, s[0:1] sc0
	v_mov_b32 v5, v4 // fault: early-use
	s_waitcnt vmcnt(0)
	global_atomic_add v0, v1, s[0:1]
	v_mov_b32 v5, v1
	s_endpgm
.Lfunc_end_atomic_returns:

// vcc may be loaded, and branches use it.
condition_codes:
	s_load_dwordx2 vcc, s[0:1], 0x0
	s_cbranch_vccnz .Lend // fault: early-use
.Lend:
	s_endpgm
.Lfunc_end_condition_codes:

// A loop that waits for all it has loaded ends its prefetching. (The first round's wait is none of the loop's.)
drained_in_the_loop:
	global_load_dwordx4 v[4:7], v0, s[4:5]
	s_waitcnt vmcnt(0)
.Ldrained:
	global_load_dwordx4 v[8:11], v0, s[4:5]
	v_mfma_f32_4x4x1_16b_f32 v[12:15], v4, v5, v[12:15]
	s_waitcnt vmcnt(0) // fault: load-drain
	v_mov_b32 v4, v8
	v_mov_b32 v5, v9
	s_sub_u32 s0, s0, 1
	s_cmp_lg_u32 s0, 0
	s_cbranch_scc1 .Ldrained
	s_endpgm
.Lfunc_end_drained_in_the_loop:

// Its right twin: what was loaded last stays in flight.
in_flight_in_the_loop:
	global_load_dwordx4 v[4:7], v0, s[4:5]
.Lin_flight:
	global_load_dwordx4 v[8:11], v0, s[4:5]
	s_waitcnt vmcnt(1)
	v_mfma_f32_4x4x1_16b_f32 v[12:15], v4, v5, v[12:15]
	global_load_dwordx4 v[4:7], v0, s[4:5]
	s_waitcnt vmcnt(1)
	v_mfma_f32_4x4x1_16b_f32 v[12:15], v8, v9, v[12:15]
	s_sub_u32 s0, s0, 1
	s_cmp_lg_u32 s0, 0
	s_cbranch_scc1 .Lin_flight
	s_waitcnt vmcnt(0)
	s_endpgm
.Lfunc_end_in_flight_in_the_loop:

// The check reports instructions that it cannot follow.
cannot_be_followed:
	flat_load_dword v4, v[0:1] // fault: unknown
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_swappc_b64 s[30:31], s[4:5] // fault: unknown
	s_setpc_b64 s[4:5] // fault: unknown
.Lfunc_end_cannot_be_followed:

// The loop that the compiler makes of a descriptor that may differ from lane to lane.
descriptor_by_lane:
	s_mov_b64 s[12:13], exec
.Ldescriptor:
	v_readfirstlane_b32 s4, v2
	v_readfirstlane_b32 s5, v3
	v_cmp_eq_u64_e32 vcc, s[4:5], v[2:3]
	s_and_saveexec_b64 s[8:9], vcc
	buffer_load_dwordx4 v[4:7], v0, s[4:7], 0 offen // fault: waterfall
	s_xor_b64 exec, exec, s[8:9]
	s_cbranch_execnz .Ldescriptor
	s_mov_b64 exec, s[12:13]
	s_waitcnt vmcnt(0)
	s_endpgm
.Lfunc_end_descriptor_by_lane:

// Such a loop inside the main loop, in blocks of its own; the first word is copied on its way.
descriptor_by_lane_in_blocks:
.Lround_of_lanes:
	s_mov_b64 s[12:13], exec
.Lremaining_lanes:
	v_readfirstlane_b32 s14, v2
	v_readfirstlane_b32 s5, v3
	v_cmp_eq_u32_e32 vcc, s14, v2
	v_cmp_eq_u32_e64 s[8:9], s5, v3
	s_and_b64 vcc, vcc, s[8:9]
	s_and_saveexec_b64 s[8:9], vcc
	s_cbranch_execz .Lnext_lanes
	s_mov_b32 s4, s14
	s_mov_b64 s[6:7], 0
	s_branch .Ltheir_load
.Ltheir_load:
	buffer_load_dwordx4 v[4:7], v0, s[4:7], 0 offen // fault: waterfall
.Lnext_lanes:
	s_xor_b64 exec, exec, s[8:9]
	s_cbranch_execnz .Lremaining_lanes
	s_mov_b64 exec, s[12:13]
	s_waitcnt vmcnt(0)
	s_sub_u32 s15, s15, 1
	s_cmp_lg_u32 s15, 0
	s_cbranch_scc1 .Lround_of_lanes
	s_endpgm
.Lfunc_end_descriptor_by_lane_in_blocks:

// Right: a main loop that reads a number from the first lane and picks the lanes that have it, for a store. Its load has
// another descriptor in that register, and a word of the first lane's that is compared with others alone.
first_lane_in_the_main_loop:
.Lmain_round:
	v_readfirstlane_b32 s4, v2
	v_cmp_eq_u32_e32 vcc, s4, v2
	s_and_saveexec_b64 s[8:9], vcc
	s_cbranch_execz .Lnot_these
	global_store_dword v[10:11], v0, off
.Lnot_these:
	s_or_b64 exec, exec, s[8:9]
	s_mov_b32 s4, s16
	v_readfirstlane_b32 s5, v3
	buffer_load_dwordx4 v[4:7], v0, s[4:7], 0 offen
	v_mov_b32_e32 v3, v8
	v_cmp_eq_u32_e64 s[8:9], s5, v3
	s_waitcnt vmcnt(0)
	s_sub_u32 s15, s15, 1
	s_cmp_lg_u32 s15, 0
	s_cbranch_scc1 .Lmain_round
	s_endpgm
.Lfunc_end_first_lane_in_the_main_loop:

// Its right twins: the first lane's descriptor, and a loop over lanes that loads nothing.
descriptor_of_the_first_lane:
	v_readfirstlane_b32 s4, v2
	v_readfirstlane_b32 s5, v3
	buffer_load_dwordx4 v[4:7], v0, s[4:7], 0 offen
.Lfirst_lane:
	v_readfirstlane_b32 s10, v0
	v_cmp_eq_u32_e32 vcc, s10, v0
	s_and_saveexec_b64 s[8:9], vcc
	s_xor_b64 exec, exec, s[8:9]
	s_cbranch_execnz .Lfirst_lane
	s_waitcnt vmcnt(0)
	s_endpgm
.Lfunc_end_descriptor_of_the_first_lane:

	.rodata
	.amdhsa_kernel store_across_the_back_edge
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
	.amdhsa_kernel store_waited_for
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
	.amdhsa_kernel store_on_one_way
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
	.amdhsa_kernel read_at_barrier
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
	.amdhsa_kernel exchange_at_barrier
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
	.amdhsa_kernel use_before_wait
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
	.amdhsa_kernel use_as_address_or_data
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
	.amdhsa_kernel overwritten_in_flight
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
	.amdhsa_kernel loaded_twice
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
	.amdhsa_kernel scalar_loads
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
	.amdhsa_kernel load_of_the_last_round
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
	.amdhsa_kernel atomic_returns
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
	.amdhsa_kernel condition_codes
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
	.amdhsa_kernel drained_in_the_loop
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
	.amdhsa_kernel in_flight_in_the_loop
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
	.amdhsa_kernel cannot_be_followed
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
	.amdhsa_kernel descriptor_by_lane
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
	.amdhsa_kernel descriptor_of_the_first_lane
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
	.amdhsa_kernel descriptor_by_lane_in_blocks
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
	.amdhsa_kernel first_lane_in_the_main_loop
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
