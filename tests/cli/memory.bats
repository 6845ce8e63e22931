#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does each kind of memory carry the right data, and is an unavailable one refused with its reason? GPUs are the
# stand-ins of tests/gpu.

load helpers

stand_ins() { # [ASSIGNMENTS]
    under=(env "LD_LIBRARY_PATH=$PERFTEST_BUILD/tests/gpu/.libs" "$@")
}

# What lies in memory is not what the CPU would load from it, and what it would store is not what is there.
masked_stand_ins() { # [ASSIGNMENTS]
    stand_ins GPU_STANDIN_PLAIN=1 GPU_STANDIN_MASK=0x5a "$@"
}

# In front of the software device, which takes no dmabuf; in a sanitizer build that one is linked in.
with_dmabufs() { # [ASSIGNMENTS]
    local preload=$PERFTEST_BUILD/tests/gpu/.libs/libdmabuf.so
    is_sanitized || preload+=:$PERFTEST_BUILD/soft/.libs/libperftest_soft.so
    masked_stand_ins GPU_STANDIN_DMABUF=1 "LD_PRELOAD=$preload" PERFTEST_SOFT_CM=1 \
        "ASAN_OPTIONS=verify_asan_link_order=0:${ASAN_OPTIONS-}" "$@"
}

validated_pair() { # PROGRAM [OPTIONS]
    good_pair "$@" --data_validation
    expect_output client '^VALIDATION: PASSED - [1-9]'
    expect_output server '^VALIDATION: PASSED - [1-9]'
}

@test "accelerators: data is right in their memory, by copies alone" {
    local kind
    masked_stand_ins
    for kind in cuda rocm ze neuron mlu musa; do
        server_args=("--use_$kind" 1)
        validated_pair ib_send_bw "--use_$kind=0" -s 4K -n 100
    done
}

@test "accelerators: reads, atomics, odd sizes and a payload" {
    masked_stand_ins
    server_args=(--use_cuda 0)
    validated_pair ib_write_lat --use_cuda=0 --write_with_imm -n 100
    validated_pair ib_read_bw --use_cuda=1 -n 100 -q 4 -s 4097 --mr_per_qp
    stand_ins GPU_STANDIN_PLAIN=1
    validated_pair ib_atomic_bw -n 100 --use_cuda=0
    # the bytes that arrive are those of the file
    echo 0x64636261,0x68676665 >payload
    truncate -s 1M server.mem
    server_args=(--mmap server.mem)
    good_pair ib_write_bw -n 100 -s 4K --use_musa 0 --payload_file_path payload
    expect [ "$(head -c 16 server.mem)" = abcdefghabcdefgh ]
}

@test "accelerators: by PCI address" {
    masked_stand_ins
    server_args=(--use_musa_bus_id 0000:3b:00.0)
    validated_pair ib_write_bw --use_cuda_bus_id 3c:00.0 -n 100
    run_alone ib_write_bw --use_cuda_bus_id 0000:99:00.0 -p 1 localhost
    expect_status alone 1
    expect_error alone "the NVIDIA device at 0000:99:00.0 can't be used, out of 2 on this host: CUDA_ERROR_INVALID_DEVICE"
    run_alone ib_write_bw --use_cuda_bus_id first -p 1 localhost
    expect_status alone 2
    expect_error alone "'first' is not a PCI address such as 0000:3b:00.0"
}

@test "accelerators: as a dmabuf, mapped by PCIe, and through data direct" {
    with_dmabufs
    server_args=(--use_rocm 0)
    validated_pair ib_write_bw --use_cuda 0 --use_cuda_dmabuf -n 100 --verbose
    expect grep -q '^ib_write_bw: memory: CUDA, 1 region of [0-9]* bytes, by dmabuf, relaxed ordering$' client.err
    server_args=(--use_musa 1 --use_musa_pcie_mapping)
    validated_pair ib_send_bw --use_cuda 0 --use_cuda_pcie_mapping -n 100
    server_args=(--use_neuron 0 --use_neuron_dmabuf)
    validated_pair ib_read_bw --use_cuda 0 --use_data_direct -n 100 --verbose
    expect grep -q ', by dmabuf for data direct, relaxed ordering$' client.err
    with_dmabufs MLX5_STANDIN=other
    run_alone ib_write_bw --use_cuda 0 --use_data_direct -p 1 localhost
    expect_status alone 1
    expect_error alone 'data direct: soft0 is not an mlx5 device: run without --use_data_direct'
    with_dmabufs MLX5_STANDIN=without
    run_alone ib_write_bw --use_cuda 0 --use_data_direct -p 1 localhost
    expect_error alone 'data direct: soft0 has no PCIe function for it'
    with_dmabufs GPU_STANDIN_VERSION=12020
    run_alone ib_write_bw --use_cuda 0 --use_cuda_pcie_mapping -p 1 localhost
    expect_error alone 'its driver supports CUDA 12.2, but mapping a dmabuf through PCIe needs 12.8'
}

# VARIABLE=VALUE OPTION PATTERN
doubted() {
    with_dmabufs GPU_STANDIN_LINKED=1 "$1"
    run_pair ib_write_bw -n 100 --use_cuda 0 "$2"
    expect_status client 1
    expect_error client "$3"
}

@test "accelerators: a GPU that is linked to the CPU has two mappings, of which one may be wrong" {
    doubted PERFTEST_SOFT_FAULT=wc_12:3 --use_cuda_dmabuf \
        'status 12, .*mapped through its link to the CPU, .*: then give --use_cuda_pcie_mapping'
    doubted PERFTEST_SOFT_FAULT=wc_12:3 --use_cuda_pcie_mapping \
        'status 12, .*mapped through PCIe, .*: then omit --use_cuda_pcie_mapping'
    doubted DMABUF_ERRNO=524 --use_cuda_pcie_mapping \
        'soft0 refuses to register .*error 524.*mapped through PCIe, .*omit --use_cuda_pcie_mapping'
    doubted PERFTEST_SOFT_FAULT=wc_12:3 --use_data_direct 'status 12'
    expect test -z "$(grep 'mapped through' client.err)"
}

@test "accelerators: pages that move, while a kernel uses them" {
    local how
    for how in once infinite; do
        rm -f touched
        masked_stand_ins "GPU_STANDIN_TOUCHED=$PWD/touched"
        server_args=(--use_cuda 0 --cuda_mem_type managed --odp --gpu_touch "$how")
        validated_pair ib_send_bw --use_cuda 1 --cuda_mem_type=1 --odp "--gpu_touch=$how" -n 100
        expect [ "$(grep -c '^[1-9][0-9]* rounds over [1-9][0-9]* pages$' touched)" = 2 ]
    done
    # each has a buffer for each queue pair, and a kernel for each of them
    validated_pair ib_write_bw --use_cuda 0 --cuda_mem_type=managed --odp --gpu_touch=infinite -n 100 -q 3 --mr_per_qp
    expect [ "$(grep -c '^[1-9][0-9]* rounds over [1-9][0-9]* pages$' touched)" = 8 ]
    rm touched
    stand_ins GPU_STANDIN_PLAIN=1 "GPU_STANDIN_TOUCHED=$PWD/touched"
    server_args=(--use_cuda 0 --cuda_mem_type 4 --odp)
    validated_pair ib_write_bw --use_opencl 0 --opencl_platform_id 1 --odp --gpu_touch infinite -n 100
    expect grep -q '^[1-9][0-9]* moves$' touched
    server_args=()
    validated_pair ib_read_bw --use_cuda 0 --cuda_mem_type=host -n 100
}

@test "accelerators: the PTX of --gpu_touch assembles" {
    local gpu
    command -v ptxas >/dev/null || skip "no ptxas (Debian: nvidia-cuda-toolkit)"
    masked_stand_ins "GPU_STANDIN_PTX=$PWD/touch.ptx"
    good_pair ib_write_bw --use_cuda 0 --cuda_mem_type=managed --odp --gpu_touch=once -n 100
    for gpu in 75 80 90; do # Turing to Hopper, which older and newer releases know
        expect ptxas --warning-as-error "-arch=sm_$gpu" touch.ptx -o "touch.$gpu"
    done
}

@test "--use_ib_dm: memory on the device, which has no address" {
    server_args=(--use_ib_dm)
    validated_pair ib_send_bw --use_ib_dm -n 100 -s 4K
    validated_pair ib_write_bw --use_ib_dm -n 100 -s 1021 -q 2
    validated_pair ib_read_bw -n 1000 -q 2 # more than its memory holds at once
    validated_pair ib_write_lat --use_ib_dm --write_with_imm -n 100 -s 1025
    good_pair ib_atomic_lat --use_ib_dm -n 100
    run_pair ib_write_bw --use_ib_dm -s 2M
    expect_status client 1
    expect_error client 'soft0 has 1048576 bytes of memory of its own, but the buffer needs 2101248: lower -s or -q'
}

@test "--use_ib_dm_dmabuf: memory on another device" {
    with_dmabufs
    server_args=(--use_ib_dm_dmabuf soft1)
    validated_pair ib_write_bw --use_ib_dm_dmabuf soft1 -n 100 -s 4K
    # shellcheck disable=SC2030 # each test is a process of its own
    under=()
    run_pair ib_write_bw --use_ib_dm_dmabuf soft1
    expect_status client 1
    expect_error client 'cannot get a dmabuf of the memory of soft1: Operation not supported'
    run_alone ib_write_bw --use_ib_dm_dmabuf mlx5_9 -p 1 localhost
    expect_status alone 1
    expect_error alone '--use_ib_dm_dmabuf mlx5_9: No such device'
}

@test "accelerators: what is missing is named, before the peer is met" {
    run_alone ib_write_bw --use_cuda 0 -p 1 localhost
    expect_status alone 1
    expect_error alone "libcuda.so.1, which comes with the driver's software and cannot be loaded"
    stand_ins
    run_alone ib_write_bw --use_rocm 7 -p 1 localhost
    expect_error alone 'there is no AMD GPU 7: the last one is 1'
    stand_ins GPU_STANDIN_FAIL=cuInit
    run_alone ib_write_bw --use_cuda 0 -p 1 localhost
    expect_error alone 'no GPU can be used here: NVIDIA: '
    # an address that the device can't reach, a dmabuf that is not there, one that soft0 does not take
    stand_ins
    start_server ib_write_bw
    start_client ib_write_bw --use_cuda 0
    finish client
    finish server
    expect_status client 1
    expect_error client 'soft0 refuses to register [0-9]* bytes of CUDA memory by its address, as the driver exports no dmabuf \(CUDA_ERROR_INVALID_DEVICE\): Bad address; the kernel does not know such addresses without a peer memory module: nvidia_peermem'
    start_server ib_write_bw
    start_client ib_write_bw --use_cuda 0 --use_cuda_dmabuf
    finish client
    finish server
    expect_status client 1
    expect_error client 'the driver cannot export CUDA memory as a dmabuf \(CUDA_ERROR_INVALID_DEVICE\): a newer driver'
    start_server ib_write_bw
    start_client ib_write_bw --use_rocm 0 --use_rocm_dmabuf
    finish client
    finish server
    expect_status client 1
    expect_error client 'the driver cannot export HIP memory as a dmabuf \(hsa_status_t 0x1001\): a newer driver'
    start_server ib_write_bw
    start_client ib_write_bw --use_neuron 0 --use_neuron_dmabuf
    finish client
    finish server
    expect_status client 1
    expect_error client 'the driver cannot export Neuron memory as a dmabuf \(status [0-9]* of the Neuron runtime\)'
    stand_ins GPU_STANDIN_DMABUF=1
    start_server ib_write_bw
    start_client ib_write_bw --use_cuda 0 --use_cuda_dmabuf
    finish client
    finish server
    expect_status client 1
    expect_error client 'soft0 refuses to register [0-9]* bytes of CUDA memory: Operation not supported'
    start_server ib_write_bw
    start_client ib_write_bw --use_cuda 0
    finish client
    finish server
    expect_status client 1
    expect_error client 'soft0 refuses to register [0-9]* bytes of CUDA memory as a dmabuf: Operation not supported; and by its address: '
    # of a dmabuf no peer memory module is asked
    with_dmabufs
    # shellcheck disable=SC2030,SC2031 # each test is a process of its own
    under=("${under[@]/#GPU_STANDIN_PLAIN=*/GPU_STANDIN_DMABUF=1}")
    start_server ib_write_bw
    start_client ib_write_bw --use_cuda 0
    finish client
    finish server
    expect_status client 1
    expect_error client 'soft0 refuses to register [0-9]* bytes of CUDA memory: Bad address$'
}

@test "accelerators: the header and the document say whose memory it is, and how it was registered" {
    stand_ins GPU_STANDIN_PLAIN=1
    server_args=(--use_cuda_bus_id 3c:00.0)
    good_pair ib_write_bw --use_rocm 1 -n 50 --out_json_file run.json
    expect_output client '^allocated 65536 bytes of GPU buffer at 0x[0-9a-f]+$'
    expect_output client '^ GPU memory      : HIP of GPU 1, 65536 bytes, by address$'
    expect_output server '^ GPU memory      : CUDA of GPU 3c:00.0, 65536 bytes, by address$'
    expect [ "$(grep -c 'GPU buffer' server.out)" = 0 ]
    expect_schema run.json
    expect [ "$(query run.json '.device.memory | "\(.kind) \(.registered_by) \(.gpu) \(.bytes)"')" = "HIP address 1 65536" ]
    expect [ "$(query run.json '.test_info | "\(.Use_ROCm_memory) \(.Use_MUSA_memory)"')" = "ON OFF" ]
    with_dmabufs
    good_pair ib_write_bw --use_cuda 0 -n 50 --out_json_file run.json
    expect_output client '^ GPU memory      : CUDA of GPU 0, [0-9]+ bytes, by dmabuf$'
    good_pair ib_write_bw -n 50 --out_json_file run.json
    expect [ "$(query run.json '.device.memory | "\(.kind) \(.registered_by) \(.gpu)"')" = "host address null" ]
    expect_schema run.json
}

@test "accelerators: a dmabuf of Level Zero begins where the driver's allocation does" {
    with_dmabufs GPU_STANDIN_POOLED=1 DMABUF_OFFSET=65536
    good_pair ib_write_bw --use_ze 0 -n 50
    expect_output client '^ GPU memory      : Level Zero of GPU 0, [0-9]+ bytes, by dmabuf$'
}

# hl-thunk allocates, maps and exports, but copies nothing.
@test "accelerators: a Gaudi" {
    with_dmabufs
    good_pair ib_write_bw --use_hl 0000:3c:00.0 -n 50
    expect_output client '^ GPU memory      : Gaudi of GPU 0000:3c:00.0, [0-9]+ bytes, by dmabuf$'
    expect grep -q "warning: hl-thunk copies nothing" client.err
    run_pair ib_write_bw --use_hl 0000:3c:00.0 -n 50 --data_validation
    expect_status client 1
    expect_error client 'Gaudi memory: a copy to or from it failed: hl-thunk has no copies'
    run_alone ib_write_bw --use_hl 0000:99:00.0 -p 1 localhost
    expect_error alone "the Habana device at 0000:99:00.0 can't be used, out of 2 on this host: status -19 of hl-thunk"
    # shellcheck disable=SC2030,SC2031 # each test is a process of its own
    under+=(GPU_STANDIN_FAIL=hlthunk_device_memory_map)
    run_pair ib_write_bw --use_hl 0000:3c:00.0 -n 50
    expect_error client 'no Gaudi memory for a buffer of [0-9]* bytes: hl-thunk cannot map it'
}

@test "accelerators: a byte that the CPU cannot load is not polled" {
    local with
    stand_ins GPU_STANDIN_PLAIN=1
    for with in "--use_cuda 0" "--use_ib_dm" "--use_rocm 1 --rate 1000"; do
        # shellcheck disable=SC2086
        run_alone ib_write_lat $with -n 50 -p 1 localhost
        expect_status alone 1
        expect_error alone 'error: the CPU polls the last byte of a plain RDMA WRITE, but it cannot load from [A-Za-z]+ memory: give --write_with_imm$'
    done
    start_server ib_write_lat --use_cuda 0
    start_client ib_write_lat -n 50
    finish client
    finish server
    expect_status server 1
    expect_error server 'cannot load from CUDA memory: give --write_with_imm$'
    expect_error client 'cannot load from CUDA memory: give --write_with_imm$'
    server_args=(--use_cuda 0)
    good_pair ib_write_lat --use_cuda 1 --write_with_imm -n 50
}

@test "accelerators: by the address where the adapter takes no dmabuf" {
    local refusal
    masked_stand_ins GPU_STANDIN_DMABUF=1
    server_args=(--use_rocm 1)
    validated_pair ib_write_bw --use_cuda 0 -n 100 --verbose
    expect grep -q "^ib_write_bw: memory: CUDA, 1 region of [0-9]* bytes, by address, since the dmabuf was refused, " client.err
    server_args=()
    # EPROTONOSUPPORT, EINVAL, ENOTTY, ENOSYS, the kernel's ENOTSUPP; not EFAULT, which says that the memory is wrong
    for refusal in 93 22 25 38 524; do
        with_dmabufs DMABUF_ERRNO=$refusal
        good_pair ib_write_bw --use_cuda 0 -n 50 --verbose
        expect grep -q ', by address, since the dmabuf was refused, ' client.err
    done
    run_pair ib_write_bw --use_cuda 0 --use_cuda_dmabuf -n 50
    expect_error client 'soft0 refuses to register [0-9]* bytes of CUDA memory: its driver .* \(error 524\), as where PCIe'
    with_dmabufs DMABUF_ERRNO=14
    run_pair ib_write_bw --use_cuda 0 -n 50
    expect_error client 'soft0 refuses to register [0-9]* bytes of CUDA memory: Bad address$'
}

@test "tests/gpu/run: nothing was run without a GPU" {
    local script=$PERFTEST_TOP/tests/gpu/run
    mkdir bin # the machine may have the driver
    printf '#!/bin/sh\n' >bin/ldconfig
    chmod +x bin/ldconfig
    LD_LIBRARY_PATH='' PATH=$PWD/bin:$PATH run_alone "$script"
    expect_status alone 77
    expect [ "$(<alone.out)" = "tests/gpu/run: skipped, nothing was run: libcuda.so.1 of NVIDIA's driver is not installed" ]
    masked_stand_ins GPU_STANDIN_DEVICES=0
    run_alone "$script"
    expect_status alone 77
    expect_output alone '^tests/gpu/run: skipped, nothing was run: CUDA .* no   NVIDIA: no device$'
}

# bats test_tags=long,once
@test "tests/gpu/run: its rows, over the stand-ins" {
    local status=0
    export GPU_LIMIT_S=1000 # of a busy machine
    masked_stand_ins
    # shellcheck disable=SC2031
    "${under[@]}" "$PERFTEST_TOP/tests/gpu/run" -p "$port" >alone.out 2>alone.err || status=$?
    expect [ "$status" = 0 ]
    expect [ "$(tail -n 1 alone.out)" = "33 passed, 0 failed" ]
    expect_output alone '^passed managed memory, a kernel beside the copies: 1000003 bytes filled and copied, no dmabuf$'
    expect_output alone '^passed ib_write_bw --use_cuda=0 -n 1000 --data_validation: [0-9.]+ MiB/s$'
    expect_output alone '^passed ib_write_bw --use_cuda=0 --use_cuda_dmabuf .*: refused: the driver cannot export CUDA memory as a dmabuf '
    expect_output alone '^passed ib_write_lat --use_cuda=0 -n 1000: refused: the CPU polls the last byte '
    masked_stand_ins GPU_STANDIN_FAIL=cuMemcpyDtoH_v2
    # shellcheck disable=SC2031
    "${under[@]}" "$PERFTEST_TOP/tests/gpu/run" -p "$port" --nothing >alone.out 2>alone.err || status=$?
    expect [ "$status" = 1 ]
    expect_output alone '^failed memory of the GPU, no kernel: '
    expect_output alone '^failed ib_write_bw --use_cuda=0 -n 1000 --data_validation: status 2: '
    expect_output alone ' passed, [1-9][0-9]* failed$'
}

@test "accelerators: a copy that the driver refuses ends the test, and both sides say so" {
    stand_ins GPU_STANDIN_PLAIN=1
    start_server ib_write_bw --use_cuda 1
    stand_ins GPU_STANDIN_PLAIN=1 GPU_STANDIN_FAIL=cuMemcpyHtoD_v2
    start_client ib_write_bw --use_cuda 0 -n 50
    finish client
    finish server
    expect_status client 1
    expect_status server 1
    expect_error client '^ib_write_bw: error: CUDA memory: a copy to or from it failed: CUDA_ERROR_INVALID_CONTEXT$'
    expect_error server 'ended the test: CUDA memory: a copy to or from it failed'
}

@test "--mmap: the data lies in the file" {
    truncate -s 32M server.mem
    truncate -s 32M client.mem
    server_args=(--mmap server.mem --mmap-offset 64K --keep_serving)
    start_server ib_write_bw "${server_args[@]}"
    for _ in 1 2; do
        start_client ib_write_bw -s 4K -n 100 --mmap client.mem --data_validation
        finish client
        expect_status client 0
    done
    await server waits_again
    kill -INT "${pids[server]}"
    finish server
    expect_status server 0
    expect [ "$(head -c 65536 server.mem | tr -d '\0' | wc -c)" = 0 ]
    expect [ "$(tail -c +65537 server.mem | tr -d '\0' | wc -c)" -gt 1000 ]
}

# fstat() and /proc/self/maps name different devices there
@test "--mmap on an overlay over two file systems, as the root of a container is" {
    unshare --mount true 2>/dev/null || skip "a mount namespace needs root"
    mkdir lower upper merged
    # shellcheck disable=SC2016 # expanded by the shell inside
    under=(unshare --mount bash -c 'mount -t tmpfs tmpfs upper && mkdir upper/up upper/work &&
        mount -t overlay -o lowerdir=lower,upperdir=upper/up,workdir=upper/work overlay merged || exit
        truncate -s 32M merged/data.mem && exec "$@"' -)
    "${under[@]}" true || skip "no overlay can be mounted"
    server_args=(--mmap merged/data.mem)
    good_pair ib_write_bw -s 4K -n 100 --mmap merged/data.mem --data_validation
}

@test "--mmap: a file that is not there, too short, or cut inside a page" {
    echo short >short.mem
    run_alone ib_write_bw --mmap none.mem -p 1 localhost
    expect_error alone '--mmap none.mem: No such file'
    run_alone ib_write_bw --mmap node7
    expect [ "$error" = "ib_write_bw: error: --mmap: there is no file node7; if that is the HOST, type --mmap=FILE node7" ]
    run_alone ib_write_bw --mmap short.mem --mmap-offset 100 -p 1 localhost
    expect_error alone 'mmap-offset 100 is not at the start of a page'
    run_pair ib_write_bw --mmap short.mem
    expect_status client 1
    expect_error client "short.mem has 6 bytes, but the buffers need [0-9]* from offset 0 on: enlarge it with 'truncate -s [0-9]*'"
}

@test "--odp and --use-null-mr" {
    server_args=(--odp)
    good_pair ib_send_bw -n 100 --odp --data_validation
    run_pair ib_send_bw -c XRC -n 100 --odp
    expect_status client 0
    server_args=()
    good_pair ib_write_bw -n 100 --use-null-mr
    good_pair ib_read_bw -n 100 --use-null-mr
    # its key is no remote one, where the device is not known to take it as such
    server_args=(--use-null-mr)
    run_pair ib_write_bw -n 100
    expect_status client 1
    expect_status server 1
    expect_error server 'a null memory region has no valid rkey'
}

@test "--hugepage_size: a size that the kernel has none of, and what makes pages" {
    run_alone ib_write_bw --use_hugepages --hugepage_size 12K -p 1 localhost
    expect_status alone 1
    expect_error alone '--hugepage_size: this kernel has no huge pages of 12 KiB; its sizes: '
}

@test "--memory=list: what can be used here, and why not the rest" {
    run_alone ib_write_bw --memory=list
    expect_status alone 0
    expect_output alone '^host  .* yes  the default$'
    expect_output alone "^CUDA .* no   NVIDIA needs libcuda.so.1, .* cannot be loaded$"
    expect_output alone "^Neuron .* no   Neuron needs libnrt.so.1, which comes with aws-neuronx-runtime-lib and cannot be loaded$"
    expect_output alone '^on-demand paging .* yes  soft0 has on-demand paging$'
    expect_output alone '^device  .* yes  soft0 has 1024 KiB of it$'
    expect_output alone '^device, dmabuf .* no   soft0 cannot export its memory as a dmabuf: Operation not supported$'
    expect_output alone '^data direct .* no   data direct'
    expect_output alone '^null region .* yes  soft0 has null memory regions$'
    run_alone ib_send_bw --memory=list
    expect_status alone 0
    expect [ "$(grep -c null "alone.out")" = 0 ]
    stand_ins
    run_alone ib_write_bw --memory=list
    expect_output alone '^CUDA .* yes  NVIDIA: libraries, driver and 2 devices found$'
    expect_output alone '^Habana .* yes  Habana: libraries, driver and 2 devices found$'
    expect_output alone '^OpenCL .* yes  OpenCL: libraries, driver and 2 devices found$'
    expect_output alone '^data direct .* yes  data direct: soft0 has a PCIe function for it$'
    with_dmabufs
    run_alone ib_write_bw --memory=list
    expect_output alone '^device, dmabuf .* yes  soft0 can export its memory as a dmabuf$'
    stand_ins GPU_STANDIN_DEVICES=0
    run_alone ib_write_bw --memory=list
    expect_output alone '^ROCm .* no   AMD: no device$'
    expect_output alone '^MLU .* no   Cambricon: no device$'
}
