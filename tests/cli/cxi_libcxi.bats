#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# cxi_send_bw over libcxi: two processes on the stand-in for the library and its NIC (tests/cxi/README.md describes what
# that proves). tests/unit/test_libcxi.c checks the details.
# bats file_tags=sanitized

load helpers

# The library of a folder below tests/cxi, "" for the whole one; devices see those of this test only.
over_standin() { # [FOLDER]
    export LD_LIBRARY_PATH=$PERFTEST_BUILD/tests/cxi/${1:+$1/}.libs
    export CXI_STANDIN=$BATS_TEST_NUMBER-$port CXI_STANDIN_REPORT=$PWD/counts
}

with_gpus() { # after over_standin: the stand-ins for their libraries, too
    LD_LIBRARY_PATH+=:$PERFTEST_BUILD/tests/gpu/.libs
    export GPU_STANDIN_PLAIN=1 GPU_STANDIN_DMABUF=1
}

# What a side's NIC counted. The server has PID 0 of the NIC, the client PID 1; or each PID 0 of its own.
count_of() { # PID NAME
    awk -v name="$2" '$1 == name { print $2 }' "counts.$1"
}

expect_counts() { # PID NAME=COUNT...
    local pid=$1 pair count
    for pair in "${@:2}"; do
        count=$(count_of "$pid" "${pair%=*}")
        [[ $count == "${pair#*=}" ]] || {
            echo "PID $pid: ${pair%=*} is $count, expected ${pair#*=}"
            return 1
        }
    done
}

# One line that names what is missing, before anybody is waited for.
expect_no_start() { # PATTERN [OPTIONS]
    run_alone cxi_send_bw -p "$port" "${@:2}"
    expect test "$status" = 1
    expect_error alone "$1"
    expect test -z "$output"
}

# CLIENT OPTIONS | environment | counts of the client's NIC
good_runs() {
    cat <<'TABLE'
-n 3 -l 8 -s 192||idc_puts=24 dma_puts=0 states=1
-n 3 -l 8 -s 193||idc_puts=0 dma_puts=24
-n 3 -l 8 -s 8 --no-idc||idc_puts=0 dma_puts=24 states=0
-n 10 -l 100 -s 100 -b||idc_puts=1000 dma_puts=10
-n 2 -l 16 -s 64:512||idc_puts=64 dma_puts=64
-n 4 -l 40 -s 3000 --buf-sz 20000||dma_puts=160
-n 3 -l 12 -s 70000 -R||rendezvous_puts=36 software_gets=0
-n 3 -l 12 -s 1 -R|CXI_STANDIN_GETS=software|rendezvous_puts=36
-n 4 -l 12 -s 5000 -R -b|CXI_STANDIN_GETS=both|rendezvous_puts=48 software_gets=24 hardware_gets=24
TABLE
}

# As the driver shows it: the value, and when it was taken.
@test "-W: counters of the NIC in sysfs" {
    over_standin
    mkdir -p sysfs/class/cxi/cxi0/device/telemetry
    echo 12@1700000000.123456789 >sysfs/class/cxi/cxi0/device/telemetry/hni_sts_tx_ok_octets
    under=(env "PERFTEST_SYSFS=$PWD/sysfs")
    start_server cxi_send_bw -W all
    start_client cxi_send_bw -n 1 -W hni_sts_tx_ok_octets --out_json_file=client.json
    finish client
    finish server
    expect_status client 0
    expect_status server 0
    expect_output client '^.telemetry/hni_sts_tx_ok_octets=0$'
    refuse_output server hni_sts
    expect [ "$(query client.json '.measurements[0].counters["telemetry/hni_sts_tx_ok_octets"]')" = 0 ]
}

@test "each way to send takes the commands that it should, and every byte arrives" {
    local options setting counts
    over_standin
    while IFS='|' read -r options setting counts; do
        rm -f counts.*
        read -ra client_options <<<"$options"
        [[ -z $setting ]] || export "${setting?}"
        good_pair cxi_send_bw "${client_options[@]}" --verify
        [[ -z $setting ]] || unset "${setting%=*}"
        read -ra expected <<<"$counts"
        expect_counts 1 violations=0 left_objects=0 lost_events=0 "${expected[@]}"
        expect_counts 0 violations=0 left_objects=0 lost_events=0
    done < <(good_runs)
}

@test "a list is one doorbell, and the rows say what was sent" {
    over_standin
    good_pair cxi_send_bw -n 20 -l 256 -s 65536 --no-idc
    expect_counts 1 commands=5120 doorbells=20 largest_batch=256
    expect_counts 0 commands=20 doorbells=20
    expect_output client '^ +65536 +5120 +[0-9]+\.[0-9]{2} +[0-9]+\.[0-9]{6}$'
    expect_output server '^ +65536 +- +[0-9]+\.[0-9]{2} '
    expect_output client 'Local \(client\)   : NIC 0x12 PID 1 VNI 1$'
    expect_output client 'Remote \(server\)  : NIC 0x12 PID 0 \(loopback\)$'
}

@test "two NICs, a service with VNIs, a library of old, and a range of VNIs" {
    over_standin old
    export CXI_STANDIN_SERVICE=10,20
    start_server cxi_send_bw
    CXI_STANDIN_NIC=19 CXI_STANDIN_REPORT=$PWD/client start_client cxi_send_bw -n 5 -l 4 -s 1000 -b
    finish client
    finish server
    expect_status client 0
    expect_status server 0
    expect_output client 'Local \(client\)   : NIC 0x13 PID 0 VNI 10$'
    expect_output client 'Remote \(server\)  : NIC 0x12 PID 0$'
    expect_counts 0 old_profiles=1 trig_profiles=0 violations=0
    expect grep -q 'violations 0' client.0
    over_standin
    unset CXI_STANDIN_SERVICE
    CXI_STANDIN_RANGE=1024-1039 good_pair cxi_send_bw -n 2 -l 4
    expect_output client ' VNI 1024$'
    # a range will do where the default service, whose list would hold, is not to be had
    CXI_STANDIN_RANGE=1024-1039 CXI_STANDIN_FAIL=cxil_get_svc:22:2 good_pair cxi_send_bw -n 2 -l 4 -v 7
    expect_output client ' VNI 1024$'
}

@test "memory of each vendor's GPUs is sent from and received into, by commands without immediate data" {
    local type
    over_standin
    with_gpus
    for type in AMD nvidia INTEL; do
        server_args=(-r 0 -g "$type")
        good_pair cxi_send_bw -n 3 -l 8 -s 64 -t 1 -g "$type" --verify
        expect_counts 1 dma_puts=24 idc_puts=0 violations=0
        expect_output client '^Client TX Mem    : GPU 1$'
        expect_output client "^Server GPU Type  : ${type^^}$"
    done
    server_args=()
    run_pair cxi_send_bw -t 2 -g nvidia
    expect_status client 1
    expect_status server 1
    expect_error client 'no NVIDIA GPU 2: the last one is 1'
}

@test "a copy that a GPU's driver refuses ends the test on both sides" {
    over_standin
    with_gpus
    # The client fills its buffer; the server checks what it has received.
    GPU_STANDIN_FAIL=cuMemcpyDtoH_v2 start_server cxi_send_bw -r 0 -g nvidia
    start_client cxi_send_bw -n 3 -l 8 -s 64 -t 1 -g nvidia --verify
    finish client
    finish server
    expect_status client 1
    expect_status server 1
    expect_error server '^cxi_send_bw: error: CUDA memory: a copy to or from it failed: CUDA_ERROR_INVALID_CONTEXT$'
    expect_error client 'CUDA memory: a copy to or from it failed'
    start_server cxi_send_bw -r 0 -g nvidia
    GPU_STANDIN_FAIL=cuMemcpyHtoD_v2 start_client cxi_send_bw -n 3 -l 8 -s 64 -t 1 -g nvidia
    finish client
    finish server
    expect_status client 1
    expect_status server 1
    expect_error client '^cxi_send_bw: error: CUDA memory: a copy to or from it failed: CUDA_ERROR_INVALID_CONTEXT$'
    expect_error server 'CUDA memory: a copy to or from it failed'
}

@test "writes of a packet may only overtake one another where nobody looks at the data" {
    over_standin
    good_pair cxi_send_bw -n 3 -l 8 -s 64
    expect_counts 0 strict_entries=0
    good_pair cxi_send_bw -n 3 -l 8 -s 64 --verify
    expect_counts 0 strict_entries=1
}

@test "a side that waits for its last list says that it is alive, and learns that the peer is gone" {
    over_standin
    # The acknowledgement of the last list never comes. The client may be silent for 3 s, and waits for 2 s more, as its
    # lists of 16 MB may take so long.
    CXI_STANDIN_LOSE=8 start_server cxi_send_bw
    start_client cxi_send_bw -n 5 --timeout 3
    finish client
    finish server
    expect_status client 1
    expect_status server 1
    expect_error client 'no list of sends completed within 5 s, although the server .* is alive'
    expect_error server .
}

@test "a run by time in both directions ends with all that was begun" {
    over_standin
    good_pair cxi_send_bw -D 1 -b -l 32 -s 128:256 --verify
    expect_counts 1 violations=0
    expect_counts 0 violations=0
}

@test "what is missing is said in one line, with what else works, before the server listens" {
    expect_no_start 'libcxi\.so\.1, which comes with HPE.*--provider'
    over_standin partial
    expect_no_start 'cxil_map.* of libcxi.*--provider'
    over_standin
    expect_no_start 'no device cxi3: .*no Cassini NIC.*--provider' -d cxi3
    expect_no_start "service 3 of cxi0|no service 3" -v 3
    CXI_STANDIN_FAIL=cxil_open_device:1 expect_no_start 'cxi0 .*Operation not permitted.*/dev/cxi0'
    CXI_STANDIN_FAIL=cxil_alloc_lni:28 expect_no_start 'cannot allocate a network interface \(LNI\) with service 1 of cxi0.*No space left'
    CXI_STANDIN_SERVICE=disabled expect_no_start 'service 1 of cxi0 is disabled.*-v'
    CXI_STANDIN_SERVICE=0 expect_no_start 'VNI 0'
    CXI_STANDIN_RANGE=100-200 SLINGSHOT_VNIS=5 expect_no_start 'no domain in VNI 5 .*SLINGSHOT_VNIS'
    CXI_STANDIN_PID_BITS=12 expect_no_start '12 PID bits'
    over_standin old # which knows no ranges
    CXI_STANDIN_FAIL=cxil_get_svc:22:2 expect_no_start 'service 7 .*no list of VNIs.*SLINGSHOT_VNIS' -v 7
}

@test "a side that is busy with its memory is not taken for a dead one" {
    over_standin
    CXI_STANDIN_SLOW=3 start_server cxi_send_bw
    start_client cxi_send_bw -n 2 -l 64 -s 1M --timeout 2
    finish client
    finish server
    expect_status client 0
    expect_status server 0
}

# ENVIRONMENT | CLIENT OPTIONS | what one of the two says
bad_runs() {
    cat <<'TABLE'
CXI_STANDIN_FAIL=cxil_alloc_cmdq:28:2|-n 5 -l 4|no command queue for triggers: No space left
CXI_STANDIN_REFUSE=7|-n 5 -l 4|ACK: no space at the target
CXI_STANDIN_EVENTS=3|-n 5 -l 64 -R -s 8|events were lost
CXI_STANDIN_LOSE=6|-n 50 -l 4 --timeout 1|within 1 s
TABLE
}

@test "what goes wrong on the way ends both sides, with the reason" {
    local setting options words
    over_standin
    while IFS='|' read -r setting options words; do
        export "${setting?}"
        read -ra client_options <<<"$options"
        run_pair cxi_send_bw "${client_options[@]}"
        unset "${setting%=*}"
        expect_status client 1
        expect_status server 1
        grep -qE -- "$words" client.err server.err || {
            echo "neither says: $words"
            show
            return 1
        }
        expect_error client .
        expect_error server .
    done < <(bad_runs)
}

# What the kernel has about a Cassini NIC: its PCI function and its interface.
cassini_tree() {
    local function=sys/devices/pci0000:20/0000:21:00.0
    mkdir -p $function/net/hsn0 sys/class/{cxi,net} sys/bus/pci/drivers/cxi_ss1
    ln -s "../../devices/pci0000:20/0000:21:00.0/net/hsn0" sys/class/net/hsn0
    ln -s ../.. $function/net/hsn0/device
    mkdir sys/class/cxi/cxi0
    ln -s "$PWD/$function" sys/class/cxi/cxi0/device
    ln -s "$PWD/sys/bus/pci/drivers/cxi_ss1" $function/driver
    echo 3 >$function/numa_node
    echo 0x17db >$function/vendor
    echo 16.0 GT/s PCIe >$function/current_link_speed
    echo 16 >$function/current_link_width
    echo 200000 >$function/net/hsn0/speed
    export PERFTEST_SYSFS=$PWD/sys
}

@test "what the kernel has about the NIC is in the documents of both sides" {
    over_standin
    cassini_tree
    good_pair cxi_send_bw -n 2 -l 4 --out_json_file=run.json
    expect_schema run.json
    expect [ "$(query run.json '.device == .peer.device')" = true ]
    expect [ "$(query run.json '.device | [.name, .numa_node, .driver, .provider_library, .pci_address, .pcie_rate_gigatransfers_per_second,
        .pcie_width_lanes, .link_rate_gigabits_per_second, .memory.kind] | @json')" = '["cxi0",3,"cxi_ss1","libcxi.so.1.0.0","0000:21:00.0",16,16,200,"host"]' ]
}

@test "the share of the possible is of the NIC's link, or of the slowest PCIe on its way" {
    over_standin
    cassini_tree
    good_pair cxi_send_bw -n 2 -l 4 --report_possible --limit_bw=1e-6% --out_json_file=run.json
    expect_schema run.json
    expect_output client '^[0-9.]+ % of 200\.0 Gb/s, the rate of the link \(PCIe 4\.0 x16 allows 252\.1\)$'
    refuse_output server ' % of ' # a pipe, without the option
    expect [ "$(query run.json '.measurements[0] | [.possible.limited_by, .possible.link_bytes_per_second, .possible.bandwidth_bytes_per_second,
        (.bandwidth_bytes_per_second / 25e7 - .possible.percent | fabs < 1e-6)] | @json')" = '["link",25000000000,25000000000,true]' ]
    good_pair cxi_send_bw -n 2 -l 4
    refuse_output client ' % of '

    start_server cxi_send_bw
    start_client cxi_send_bw -n 2 -l 4 --limit_bw=1e6%
    finish client
    finish server
    expect_status client 3
    expect_status server 0
    expect grep -q 'the limit (--limit_bw 1000000%) is 250000000.00 MB/s, missed by' client.err

    # below a port of the CPU
    function=sys/devices/pci0000:20
    mkdir -p $function/0000:20:01.0
    mv $function/0000:21:00.0 $function/0000:20:01.0/
    rm sys/class/cxi/cxi0/device sys/class/net/hsn0
    ln -s "$PWD/$function/0000:20:01.0/0000:21:00.0" sys/class/cxi/cxi0/device
    ln -s "$PWD/$function/0000:20:01.0/0000:21:00.0/net/hsn0" sys/class/net/hsn0
    function+=/0000:20:01.0
    echo 16.0 GT/s PCIe >$function/current_link_speed
    echo 16 >$function/current_link_width
    good_pair cxi_send_bw -n 2 -l 4 --report_possible
    expect_output client '^[0-9.]+ % of 200\.0 Gb/s, the rate of the link \(PCIe 4\.0 x16 allows 252\.1\)$'
    echo 8.0 GT/s PCIe | tee $function/current_link_speed >$function/0000:21:00.0/current_link_speed
    good_pair cxi_send_bw -n 2 -l 4 -b --report_possible --out_json_file=run.json
    expect_output client '^[0-9.]+ % of 252\.1 Gb/s, what PCIe 3\.0 x16 carries in both directions \(a link of 200 Gb/s allows 400\.0\)$'
    expect_schema run.json

    # as the kernel has it of an interface that is down: -1, and older ones 2^32 - 1
    for speed in -1 4294967295; do
        echo $speed >$function/0000:21:00.0/net/hsn0/speed
        good_pair cxi_send_bw -n 2 -l 4 --report_possible --out_json_file=run.json
        expect_output client '^no share of what is possible: the rate of the link is not known$'
        expect [ "$(query run.json '[.measurements[0].possible, .device.link_rate_gigabits_per_second] | @json')" = '[null,null]' ]
    done
    # vmxnet3 says 10 Gb/s, over whatever
    echo 10000 >$function/0000:21:00.0/net/hsn0/speed
    echo 0x15ad >$function/0000:21:00.0/vendor
    good_pair cxi_send_bw -n 2 -l 4 --report_possible
    expect_output client '^no share of what is possible: the rate of the link is not known$'
    start_server cxi_send_bw
    start_client cxi_send_bw -n 2 -l 4 --limit_msgrate=90%
    finish client
    finish server
    expect_status client 1
    expect_status server 1
    expect_error client '--limit_msgrate 90% compares with what is possible, which is unknown on cxi0: the rate of the link is not known; give a limit without %'
}

@test "--explain knows the NIC's NUMA node, on both sides, and the document what both have seen" {
    over_standin
    cassini_tree
    echo 32.0 GT/s PCIe >sys/class/cxi/cxi0/device/max_link_speed
    echo 16 >sys/class/cxi/cxi0/device/max_link_width
    good_pair cxi_send_bw -n 20 -l 4 --explain --out_json_file=run.json
    expect_schema run.json
    expect_output client '^(Likeliest cause|Also): wrong NUMA node \(client\): it ran on NUMA node [0-9]+, and the device is on node 3$'
    expect_output client '^(Likeliest cause|Also): wrong NUMA node \(server\)'
    expect_output server '^(Likeliest cause|Also): wrong NUMA node \(client\)'
    expect [ "$(query run.json '.explanation | [.local, .remote] | map([.device_numa_node, .interface, .interface_bits_per_second, .process_cpu_seconds > 0]) | @json')" = \
        '[[3,"hsn0",200000000000,true],[3,"hsn0",200000000000,true]]' ]
    local side
    for side in client server; do
        expect_output client "^$side doctor, not ranked: slot: 16\.0 GT/s x16, [0-9]+ Gb/s; the device can 32\.0 GT/s x16"
        expect_output server "^$side doctor, not ranked: slot: "
    done
    good_pair cxi_send_bw -n 20 -l 4
    refuse_output client cause
    refuse_output server cause
    good_pair cxi_send_bw -n 20 -l 1 --explain --output_format=csv
    expect [ "$(wc -l <client.out)" -eq 2 ]
    expect grep -q 'Likeliest cause: ' client.err
}
