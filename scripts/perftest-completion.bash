# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Completion of the options, and of their values where they are words. The tables at the end are written by gen_docs from
# the option tables: edit src/params/ and run "make generate"; what is above them is src/gendocs/completion.bash. To try
# it: source this file.

_perftest() {
    local program=${COMP_WORDS[0]##*/} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} values
    program=${program/#raw_ethernet_send_/raw_ethernet_} # its old name
    # "--option=value" comes as three words, and as two while the value is still empty
    if [[ $word == "=" ]]; then
        word=
    elif [[ $before == "=" ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    values=$(_perftest_values "$program" "$before")
    case $values in
    @none) COMPREPLY=() ;;
    @file)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        ;;
    @device)
        values=$(cd /sys/class/infiniband 2>/dev/null && printf '%s ' *)
        mapfile -t COMPREPLY < <(compgen -W "${values/\*/} soft0 soft1" -- "$word")
        ;;
    '')
        if [[ $word == -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$(_perftest_options "$program")" -- "$word")
            [[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace 2>/dev/null
        elif [[ $(_perftest_operands "$program") == @file ]]; then
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
        else
            mapfile -t COMPREPLY < <(compgen -A hostname -W "$(_perftest_operands "$program")" -- "$word")
        fi
        ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word") ;;
    esac
}

_perftest_commands="run serve matrix compare gate verify list doctor merge metrics report"

# Scripts that are given a program of the suite, or any other, with its options; and krping_run.
_perftest_script() {
    local script=${COMP_WORDS[0]##*/} word=${COMP_WORDS[COMP_CWORD]} program i
    for ((i = COMP_CWORD - 1; i > 0; i--)); do
        program=${COMP_WORDS[i]##*/}
        [[ -n $(_perftest_options "${program/#raw_ethernet_send_/raw_ethernet_}") ]] || continue
        COMP_WORDS=("${COMP_WORDS[@]:i}") COMP_CWORD=$((COMP_CWORD - i))
        _perftest
        return
    done
    case $script:$COMP_CWORD in
    run_soft:1) mapfile -t COMPREPLY < <(compgen -A command -W "--list --help" -- "$word") ;;
    run_soft:2 | run_perftest_loopback:3) mapfile -t COMPREPLY < <(compgen -A command -- "$word") ;;
    runme:1)
        mapfile -t COMPREPLY < <(compgen -A hostname -W "$_perftest_programs check install --help" -- "$word")
        ;;
    runme:2) mapfile -t COMPREPLY < <(compgen -W "$_perftest_programs" -- "$word") ;;
    perftest:1) mapfile -t COMPREPLY < <(compgen -W "$_perftest_commands --ssh= --help --version" -- "$word") ;;
    perftest:*)
        case ${COMP_WORDS[1]} in
        help) mapfile -t COMPREPLY < <(compgen -W "$_perftest_commands $_perftest_programs" -- "$word") ;;
        doctor) # the options of a test
            COMP_WORDS[1]=ib_send_bw
            _perftest_script
            ;;
        merge)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -W "--help --part=local --part=total" -- "$word")
            ;;
        *) _perftest ;;
        esac
        ;;
    krping_run:*)
        if [[ ${COMP_WORDS[COMP_CWORD - 1]} == --json ]]; then
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
        else
            mapfile -t COMPREPLY < <(compgen -W "--json --quiet --help server client" -- "$word")
        fi
        ;;
    *) COMPREPLY=() ;;
    esac
}

# For other shells: prints what the word at the end may become, one to a line.
_perftest_list() { # WORD...
    local prefix='' slash='' reply
    # bash's has no meaning where bash does not complete
    compopt() { [[ $2 != filenames ]] || slash=/; }
    COMP_WORDS=("$@") COMPREPLY=()
    if [[ ${!#} == --*=* ]]; then
        prefix=${!#}
        COMP_WORDS=("${@:1:$#-1}" "${prefix%%=*}" "=" "${prefix#*=}")
        prefix=${prefix%%=*}=
    fi
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    case ${1##*/} in
    perftest | runme | run_soft | run_perftest_loopback | krping_run) _perftest_script ;;
    *) _perftest ;;
    esac
    for reply in "${COMPREPLY[@]}"; do
        [[ ! -d $reply ]] || reply+=$slash
        printf '%s\n' "$prefix$reply"
    done
}

# Long options of a program; those that take a value end in "=".
_perftest_options() { # PROGRAM
    case $1 in
    ib_send_bw) echo --usage --help --version --verbose --doctor --CPU-freq --port= --bind_source_ip= \
        --ipv6-addr --comm_rdma_cm --connectionless --dont_xchg_versions --timeout= --retry \
        --keep_serving --clients= --max_memory= --max_duration= --ib-dev= --ib-port= --dualport \
        --connection= --mtu= --gid-index= --ipv6 --sl= --tclass= --flow_label= --dlid= --pkey_index= \
        --qp-timeout= --rdma_cm --tos= --retry_count= --force-link= --size= --all --sizes= \
        --iters= --duration= --margin= --run_infinitely --bidirectional --reversed --send_with_imm \
        --mcg --MGID= --data_validation --data_validation_debug --inline_size= --qp= --threads= \
        --tx-depth= --rx-depth= --use-srq --log_dci_streams= --log_active_dci_streams= --cq-mod= \
        --post_list= --recv_post_list= --events --vector= --cqe_poll= --disable_dynamic_polling \
        --inline_recv= --use_ooo --congest_type= --no_enhanced_reorder --no_lock --use_old_post_send \
        --use_wr_api --rate_limit= --rate_units= --rate_limit_type= --burst_size= --typical_pkt_size= \
        --wait_destroy= --repeat= --until= --max_repeats= --max_time= --steady --disable_pcie_relaxed \
        --mr_per_qp --use_hugepages --hugepage_size= --use_ib_dm --use_ib_dm_dmabuf= --memory= \
        --use_cuda= --use_cuda_bus_id= --cuda_mem_type= --use_cuda_dmabuf --use_cuda_pcie_mapping \
        --use_data_direct --use_rocm= --use_rocm_dmabuf --use_ze= --use_ze_dmabuf --use_hl= \
        --use_neuron= --use_neuron_dmabuf --use_mlu= --use_mlu_dmabuf --use_musa= --use_musa_bus_id= \
        --use_musa_dmabuf --use_musa_pcie_mapping --use_opencl= --opencl_platform_id= --gpu_touch= \
        --odp --ph= --tph_mem= --cpu_id= --aes_xts --encrypt_on_tx --sig_before --aes_block_size= \
        --data_enc_keys_number= --kek_path= --credentials_path= --data_enc_key_app_path= --mmap= \
        --mmap-offset= --payload_file_path= --pin_cores= --numa_node= --disable_numa --noPeak \
        --report_gbits --report-both --report-per-port --report_interval= --timestamps --report_possible \
        --explain --limit_bw= --limit_msgrate= --limit_intervals --limit_peers --report-counters= \
        --cpu_util --output= --output_format= --out_json --out_json_file= --label= ;;
    ib_send_lat) echo --usage --help --version --verbose --doctor --CPU-freq --port= --bind_source_ip= \
        --ipv6-addr --comm_rdma_cm --dont_xchg_versions --timeout= --retry --keep_serving --clients= \
        --max_memory= --max_duration= --ib-dev= --ib-port= --connection= --mtu= --gid-index= \
        --ipv6 --sl= --tclass= --flow_label= --dlid= --pkey_index= --qp-timeout= --rdma_cm \
        --tos= --retry_count= --force-link= --size= --all --sizes= --iters= --duration= --margin= \
        --run_infinitely --reversed --send_with_imm --mcg --MGID= --data_validation --data_validation_debug \
        --inline_size= --threads= --tx-depth= --rx-depth= --use-srq --log_dci_streams= --log_active_dci_streams= \
        --events --vector= --cqe_poll= --inline_recv= --use_ooo --congest_type= --no_enhanced_reorder \
        --no_lock --use_old_post_send --use_wr_api --latency_gap= --rate= --arrival= --arrival_seed= \
        --wait_destroy= --repeat= --until= --max_repeats= --max_time= --steady --disable_pcie_relaxed \
        --mr_per_qp --use_hugepages --hugepage_size= --use_ib_dm --use_ib_dm_dmabuf= --memory= \
        --use_cuda= --use_cuda_bus_id= --cuda_mem_type= --use_cuda_dmabuf --use_cuda_pcie_mapping \
        --use_data_direct --use_rocm= --use_rocm_dmabuf --use_ze= --use_ze_dmabuf --use_hl= \
        --use_neuron= --use_neuron_dmabuf --use_mlu= --use_mlu_dmabuf --use_musa= --use_musa_bus_id= \
        --use_musa_dmabuf --use_musa_pcie_mapping --use_opencl= --opencl_platform_id= --gpu_touch= \
        --odp --ph= --tph_mem= --cpu_id= --aes_xts --encrypt_on_tx --sig_before --aes_block_size= \
        --data_enc_keys_number= --kek_path= --credentials_path= --data_enc_key_app_path= --mmap= \
        --mmap-offset= --payload_file_path= --pin_cores= --numa_node= --disable_numa --report-both \
        --report-cycles --report-histogram --report-unsorted --percentiles= --report_interval= \
        --timestamps --explain --max_lat= --max_p99= --max_percentiles= --limit_intervals --limit_peers \
        --report-counters= --cpu_util --output= --output_format= --out_json --out_json_file= \
        --label= ;;
    ib_write_bw) echo --usage --help --version --verbose --doctor --CPU-freq --port= --bind_source_ip= \
        --ipv6-addr --comm_rdma_cm --dont_xchg_versions --timeout= --retry --keep_serving --clients= \
        --max_memory= --max_duration= --ib-dev= --ib-port= --dualport --connection= --mtu= \
        --gid-index= --ipv6 --sl= --tclass= --flow_label= --dlid= --pkey_index= --qp-timeout= \
        --rdma_cm --tos= --retry_count= --force-link= --size= --all --sizes= --iters= --duration= \
        --margin= --run_infinitely --bidirectional --reversed --unsolicited_write --write_with_imm \
        --data_validation --data_validation_debug --inline_size= --qp= --threads= --tx-depth= \
        --rx-depth= --use-srq --log_dci_streams= --log_active_dci_streams= --cq-mod= --post_list= \
        --recv_post_list= --events --vector= --cqe_poll= --disable_dynamic_polling --use_ooo \
        --congest_type= --no_enhanced_reorder --no_lock --use_old_post_send --use_wr_api --rate_limit= \
        --rate_units= --rate_limit_type= --burst_size= --typical_pkt_size= --perform_warm_up \
        --wait_destroy= --repeat= --until= --max_repeats= --max_time= --steady --disable_pcie_relaxed \
        --mr_per_qp --use_hugepages --hugepage_size= --use_ib_dm --use_ib_dm_dmabuf= --memory= \
        --use_cuda= --use_cuda_bus_id= --cuda_mem_type= --use_cuda_dmabuf --use_cuda_pcie_mapping \
        --use_data_direct --use_rocm= --use_rocm_dmabuf --use_ze= --use_ze_dmabuf --use_hl= \
        --use_neuron= --use_neuron_dmabuf --use_mlu= --use_mlu_dmabuf --use_musa= --use_musa_bus_id= \
        --use_musa_dmabuf --use_musa_pcie_mapping --use_opencl= --opencl_platform_id= --gpu_touch= \
        --odp --use-null-mr --ph= --tph_mem= --cpu_id= --aes_xts --encrypt_on_tx --sig_before \
        --aes_block_size= --data_enc_keys_number= --kek_path= --credentials_path= --data_enc_key_app_path= \
        --mmap= --mmap-offset= --payload_file_path= --pin_cores= --numa_node= --disable_numa \
        --noPeak --report_gbits --report-both --report-per-port --report_interval= --timestamps \
        --report_possible --explain --limit_bw= --limit_msgrate= --limit_intervals --limit_peers \
        --report-counters= --cpu_util --output= --output_format= --out_json --out_json_file= \
        --label= ;;
    ib_write_lat) echo --usage --help --version --verbose --doctor --CPU-freq --port= --bind_source_ip= \
        --ipv6-addr --comm_rdma_cm --dont_xchg_versions --timeout= --retry --keep_serving --clients= \
        --max_memory= --max_duration= --ib-dev= --ib-port= --connection= --mtu= --gid-index= \
        --ipv6 --sl= --tclass= --flow_label= --dlid= --pkey_index= --qp-timeout= --rdma_cm \
        --tos= --retry_count= --force-link= --size= --all --sizes= --iters= --duration= --margin= \
        --run_infinitely --reversed --unsolicited_write --write_with_imm --data_validation \
        --data_validation_debug --inline_size= --threads= --tx-depth= --rx-depth= --use-srq \
        --log_dci_streams= --log_active_dci_streams= --events --vector= --cqe_poll= --use_ooo \
        --congest_type= --no_enhanced_reorder --no_lock --use_old_post_send --use_wr_api --latency_gap= \
        --rate= --arrival= --arrival_seed= --wait_destroy= --repeat= --until= --max_repeats= \
        --max_time= --steady --disable_pcie_relaxed --mr_per_qp --use_hugepages --hugepage_size= \
        --use_ib_dm --use_ib_dm_dmabuf= --memory= --use_cuda= --use_cuda_bus_id= --cuda_mem_type= \
        --use_cuda_dmabuf --use_cuda_pcie_mapping --use_data_direct --use_rocm= --use_rocm_dmabuf \
        --use_ze= --use_ze_dmabuf --use_hl= --use_neuron= --use_neuron_dmabuf --use_mlu= --use_mlu_dmabuf \
        --use_musa= --use_musa_bus_id= --use_musa_dmabuf --use_musa_pcie_mapping --use_opencl= \
        --opencl_platform_id= --gpu_touch= --odp --use-null-mr --ph= --tph_mem= --cpu_id= --aes_xts \
        --encrypt_on_tx --sig_before --aes_block_size= --data_enc_keys_number= --kek_path= \
        --credentials_path= --data_enc_key_app_path= --mmap= --mmap-offset= --payload_file_path= \
        --pin_cores= --numa_node= --disable_numa --report-both --report-cycles --report-histogram \
        --report-unsorted --percentiles= --report_interval= --timestamps --explain --max_lat= \
        --max_p99= --max_percentiles= --limit_intervals --limit_peers --report-counters= --cpu_util \
        --output= --output_format= --out_json --out_json_file= --label= ;;
    ib_read_bw) echo --usage --help --version --verbose --doctor --CPU-freq --port= --bind_source_ip= \
        --ipv6-addr --comm_rdma_cm --dont_xchg_versions --timeout= --retry --keep_serving --clients= \
        --max_memory= --max_duration= --ib-dev= --ib-port= --dualport --connection= --mtu= \
        --gid-index= --ipv6 --sl= --tclass= --flow_label= --dlid= --pkey_index= --qp-timeout= \
        --rdma_cm --tos= --retry_count= --force-link= --size= --all --sizes= --iters= --duration= \
        --margin= --run_infinitely --bidirectional --reversed --data_validation --data_validation_debug \
        --qp= --threads= --tx-depth= --outs= --log_dci_streams= --log_active_dci_streams= --cq-mod= \
        --post_list= --events --vector= --cqe_poll= --disable_dynamic_polling --use_ooo --congest_type= \
        --no_enhanced_reorder --no_lock --use_old_post_send --use_wr_api --rate_limit= --rate_units= \
        --rate_limit_type= --burst_size= --perform_warm_up --wait_destroy= --repeat= --until= \
        --max_repeats= --max_time= --steady --disable_pcie_relaxed --mr_per_qp --use_hugepages \
        --hugepage_size= --use_ib_dm --use_ib_dm_dmabuf= --memory= --use_cuda= --use_cuda_bus_id= \
        --cuda_mem_type= --use_cuda_dmabuf --use_cuda_pcie_mapping --use_data_direct --use_rocm= \
        --use_rocm_dmabuf --use_ze= --use_ze_dmabuf --use_hl= --use_neuron= --use_neuron_dmabuf \
        --use_mlu= --use_mlu_dmabuf --use_musa= --use_musa_bus_id= --use_musa_dmabuf --use_musa_pcie_mapping \
        --use_opencl= --opencl_platform_id= --gpu_touch= --odp --use-null-mr --ph= --tph_mem= \
        --cpu_id= --aes_xts --encrypt_on_tx --sig_before --aes_block_size= --data_enc_keys_number= \
        --kek_path= --credentials_path= --data_enc_key_app_path= --mmap= --mmap-offset= --payload_file_path= \
        --pin_cores= --numa_node= --disable_numa --noPeak --report_gbits --report-both --report-per-port \
        --report_interval= --timestamps --report_possible --explain --limit_bw= --limit_msgrate= \
        --limit_intervals --limit_peers --report-counters= --cpu_util --output= --output_format= \
        --out_json --out_json_file= --label= ;;
    ib_read_lat) echo --usage --help --version --verbose --doctor --CPU-freq --port= --bind_source_ip= \
        --ipv6-addr --comm_rdma_cm --dont_xchg_versions --timeout= --retry --keep_serving --clients= \
        --max_memory= --max_duration= --ib-dev= --ib-port= --connection= --mtu= --gid-index= \
        --ipv6 --sl= --tclass= --flow_label= --dlid= --pkey_index= --qp-timeout= --rdma_cm \
        --tos= --retry_count= --force-link= --size= --all --sizes= --iters= --duration= --margin= \
        --run_infinitely --reversed --data_validation --data_validation_debug --threads= --tx-depth= \
        --outs= --log_dci_streams= --log_active_dci_streams= --events --vector= --cqe_poll= \
        --use_ooo --congest_type= --no_enhanced_reorder --no_lock --use_old_post_send --use_wr_api \
        --latency_gap= --rate= --arrival= --arrival_seed= --wait_destroy= --repeat= --until= \
        --max_repeats= --max_time= --steady --disable_pcie_relaxed --mr_per_qp --use_hugepages \
        --hugepage_size= --use_ib_dm --use_ib_dm_dmabuf= --memory= --use_cuda= --use_cuda_bus_id= \
        --cuda_mem_type= --use_cuda_dmabuf --use_cuda_pcie_mapping --use_data_direct --use_rocm= \
        --use_rocm_dmabuf --use_ze= --use_ze_dmabuf --use_hl= --use_neuron= --use_neuron_dmabuf \
        --use_mlu= --use_mlu_dmabuf --use_musa= --use_musa_bus_id= --use_musa_dmabuf --use_musa_pcie_mapping \
        --use_opencl= --opencl_platform_id= --gpu_touch= --odp --use-null-mr --ph= --tph_mem= \
        --cpu_id= --aes_xts --encrypt_on_tx --sig_before --aes_block_size= --data_enc_keys_number= \
        --kek_path= --credentials_path= --data_enc_key_app_path= --mmap= --mmap-offset= --payload_file_path= \
        --pin_cores= --numa_node= --disable_numa --report-both --report-cycles --report-histogram \
        --report-unsorted --percentiles= --report_interval= --timestamps --explain --max_lat= \
        --max_p99= --max_percentiles= --limit_intervals --limit_peers --report-counters= --cpu_util \
        --output= --output_format= --out_json --out_json_file= --label= ;;
    ib_atomic_bw) echo --usage --help --version --verbose --doctor --CPU-freq --port= --bind_source_ip= \
        --ipv6-addr --comm_rdma_cm --dont_xchg_versions --timeout= --retry --keep_serving --clients= \
        --max_memory= --max_duration= --ib-dev= --ib-port= --dualport --connection= --mtu= \
        --gid-index= --ipv6 --sl= --tclass= --flow_label= --dlid= --pkey_index= --qp-timeout= \
        --rdma_cm --tos= --retry_count= --force-link= --iters= --duration= --margin= --run_infinitely \
        --bidirectional --reversed --atomic_type= --data_validation --data_validation_debug \
        --qp= --threads= --tx-depth= --outs= --log_dci_streams= --log_active_dci_streams= --cq-mod= \
        --post_list= --events --vector= --cqe_poll= --disable_dynamic_polling --use_ooo --congest_type= \
        --no_enhanced_reorder --no_lock --use_old_post_send --use_wr_api --rate_limit= --rate_units= \
        --rate_limit_type= --burst_size= --perform_warm_up --wait_destroy= --repeat= --until= \
        --max_repeats= --max_time= --steady --disable_pcie_relaxed --mr_per_qp --use_hugepages \
        --hugepage_size= --use_ib_dm --use_ib_dm_dmabuf= --memory= --use_cuda= --use_cuda_bus_id= \
        --cuda_mem_type= --use_cuda_dmabuf --use_cuda_pcie_mapping --use_data_direct --use_rocm= \
        --use_rocm_dmabuf --use_ze= --use_ze_dmabuf --use_hl= --use_neuron= --use_neuron_dmabuf \
        --use_mlu= --use_mlu_dmabuf --use_musa= --use_musa_bus_id= --use_musa_dmabuf --use_musa_pcie_mapping \
        --use_opencl= --opencl_platform_id= --gpu_touch= --odp --ph= --tph_mem= --cpu_id= --mmap= \
        --mmap-offset= --payload_file_path= --pin_cores= --numa_node= --disable_numa --noPeak \
        --report_gbits --report-both --report-per-port --report_interval= --timestamps --report_possible \
        --explain --limit_bw= --limit_msgrate= --limit_intervals --limit_peers --report-counters= \
        --cpu_util --output= --output_format= --out_json --out_json_file= --label= ;;
    ib_atomic_lat) echo --usage --help --version --verbose --doctor --CPU-freq --port= --bind_source_ip= \
        --ipv6-addr --comm_rdma_cm --dont_xchg_versions --timeout= --retry --keep_serving --clients= \
        --max_memory= --max_duration= --ib-dev= --ib-port= --connection= --mtu= --gid-index= \
        --ipv6 --sl= --tclass= --flow_label= --dlid= --pkey_index= --qp-timeout= --rdma_cm \
        --tos= --retry_count= --force-link= --iters= --duration= --margin= --run_infinitely \
        --reversed --atomic_type= --data_validation --data_validation_debug --threads= --tx-depth= \
        --outs= --log_dci_streams= --log_active_dci_streams= --events --vector= --cqe_poll= \
        --use_ooo --congest_type= --no_enhanced_reorder --no_lock --use_old_post_send --use_wr_api \
        --latency_gap= --rate= --arrival= --arrival_seed= --wait_destroy= --repeat= --until= \
        --max_repeats= --max_time= --steady --disable_pcie_relaxed --mr_per_qp --use_hugepages \
        --hugepage_size= --use_ib_dm --use_ib_dm_dmabuf= --memory= --use_cuda= --use_cuda_bus_id= \
        --cuda_mem_type= --use_cuda_dmabuf --use_cuda_pcie_mapping --use_data_direct --use_rocm= \
        --use_rocm_dmabuf --use_ze= --use_ze_dmabuf --use_hl= --use_neuron= --use_neuron_dmabuf \
        --use_mlu= --use_mlu_dmabuf --use_musa= --use_musa_bus_id= --use_musa_dmabuf --use_musa_pcie_mapping \
        --use_opencl= --opencl_platform_id= --gpu_touch= --odp --ph= --tph_mem= --cpu_id= --mmap= \
        --mmap-offset= --payload_file_path= --pin_cores= --numa_node= --disable_numa --report-both \
        --report-cycles --report-histogram --report-unsorted --percentiles= --report_interval= \
        --timestamps --explain --max_lat= --max_p99= --max_percentiles= --limit_intervals --limit_peers \
        --report-counters= --cpu_util --output= --output_format= --out_json --out_json_file= \
        --label= ;;
    raw_ethernet_bw) echo --usage --help --version --verbose --doctor --CPU-freq --port= --side_channel \
        --timeout= --retry --keep_serving --max_memory= --max_duration= --ib-dev= --ib-port= \
        --connection= --mtu= --sl= --flow_label= --tos= --client --server --source_mac= --dest_mac= \
        --dest_ip= --source_ip= --local_ip= --remote_ip= --dest_port= --source_port= --local_port= \
        --remote_port= --tcp --raw_ipv6 --hop_limit= --ethertype= --vlan_en --vlan_pcp= --flows= \
        --flows_burst= --raw_mcast --mac_fwd --promiscuous --sniffer --use_rss --size= --sizes= \
        --iters= --duration= --margin= --run_infinitely --bidirectional --reversed --inline_size= \
        --qp= --tx-depth= --rx-depth= --cq-mod= --post_list= --recv_post_list= --events --vector= \
        --cqe_poll= --disable_dynamic_polling --no_enhanced_reorder --no_lock --use_old_post_send \
        --rate_limit= --rate_units= --rate_limit_type= --burst_size= --typical_pkt_size= --wait_destroy= \
        --repeat= --until= --max_repeats= --max_time= --steady --disable_pcie_relaxed --mr_per_qp \
        --use_hugepages --hugepage_size= --ph= --tph_mem= --cpu_id= --payload_file_path= --pin_cores= \
        --numa_node= --disable_numa --noPeak --report_gbits --report_interval= --timestamps \
        --report_possible --explain --limit_bw= --limit_msgrate= --limit_intervals --report-counters= \
        --cpu_util --output= --output_format= --out_json --out_json_file= --label= ;;
    raw_ethernet_lat) echo --usage --help --version --verbose --doctor --CPU-freq --port= --side_channel \
        --timeout= --retry --keep_serving --max_memory= --max_duration= --ib-dev= --ib-port= \
        --connection= --mtu= --sl= --flow_label= --tos= --client --server --source_mac= --dest_mac= \
        --dest_ip= --source_ip= --local_ip= --remote_ip= --dest_port= --source_port= --local_port= \
        --remote_port= --tcp --raw_ipv6 --hop_limit= --ethertype= --vlan_en --vlan_pcp= --promiscuous \
        --sniffer --size= --sizes= --iters= --duration= --margin= --run_infinitely --inline_size= \
        --tx-depth= --rx-depth= --events --vector= --cqe_poll= --no_enhanced_reorder --no_lock \
        --use_old_post_send --latency_gap= --wait_destroy= --repeat= --until= --max_repeats= \
        --max_time= --steady --disable_pcie_relaxed --mr_per_qp --use_hugepages --hugepage_size= \
        --ph= --tph_mem= --cpu_id= --payload_file_path= --pin_cores= --numa_node= --disable_numa \
        --report-cycles --report-histogram --report-unsorted --percentiles= --report_interval= \
        --timestamps --explain --max_lat= --max_p99= --max_percentiles= --limit_intervals --report-counters= \
        --cpu_util --output= --output_format= --out_json --out_json_file= --label= ;;
    raw_ethernet_burst_lat) echo --usage --help --version --verbose --doctor --CPU-freq --port= \
        --side_channel --timeout= --retry --keep_serving --max_memory= --max_duration= --ib-dev= \
        --ib-port= --connection= --mtu= --sl= --flow_label= --tos= --client --server --source_mac= \
        --dest_mac= --dest_ip= --source_ip= --local_ip= --remote_ip= --dest_port= --source_port= \
        --local_port= --remote_port= --tcp --raw_ipv6 --hop_limit= --ethertype= --vlan_en --vlan_pcp= \
        --promiscuous --sniffer --reply_every= --size= --sizes= --iters= --inline_size= --tx-depth= \
        --rx-depth= --cq-mod= --post_list= --events --vector= --cqe_poll= --no_enhanced_reorder \
        --no_lock --use_old_post_send --rate_limit= --rate_units= --rate_limit_type= --burst_size= \
        --wait_destroy= --repeat= --until= --max_repeats= --max_time= --steady --disable_pcie_relaxed \
        --mr_per_qp --use_hugepages --hugepage_size= --ph= --tph_mem= --cpu_id= --payload_file_path= \
        --pin_cores= --numa_node= --disable_numa --report-cycles --report-histogram --report-unsorted \
        --percentiles= --report_interval= --timestamps --explain --max_lat= --max_p99= --max_percentiles= \
        --limit_intervals --report-counters= --cpu_util --output= --output_format= --out_json \
        --out_json_file= --label= ;;
    raw_ethernet_fs_rate) echo --usage --help --version --verbose --doctor --CPU-freq --ib-dev= \
        --ib-port= --connection= --client --server --source_mac= --dest_ip= --source_ip= --local_ip= \
        --remote_ip= --dest_port= --source_port= --local_port= --remote_port= --tcp --raw_ipv6 \
        --ethertype= --iters= --duration= --qp= --no_enhanced_reorder --no_lock --wait_destroy= \
        --pin_cores= --numa_node= --disable_numa --report-cycles --report-histogram --report-unsorted \
        --percentiles= --timestamps --explain --report-counters= --cpu_util --output= --output_format= \
        --out_json --out_json_file= --label= ;;
    cmtime) echo --usage --help --version --controller= --port= --peers= --join_timeout= --keep_serving \
        --timeout= --bind_interface= --bind_address= --listen --connections= --sockets --mimic_qp_delay= \
        --base_qpn= --threads= --retries= --resolve_timeout= --window= --rate= --duration= \
        --repeat= --until= --max_repeats= --max_time= --steady --percentiles= --queueing --merged \
        --limit_rate= --max_lat= --max_p99= --max_percentiles= --report_interval= --limit_intervals \
        --limit_peers --timestamps --cpu_util --report-counters= --explain --output_format= \
        --out_json --out_json_file= --label= ;;
    qperf) echo --access_recv --alt_port --cpu_affinity --flip --help --host --id --listen_port \
        --loop --msg_size --mtu_size --no_msgs --cq_poll --ip_port --precision --rd_atomic \
        --service_level --sock_buf_size --src_path_bits --static_rate --time --timeout --unify_nodes \
        --unify_units --use_bits_per_sec --use_cm --verbose --verbose_conf --verbose_stat --verbose_time \
        --verbose_used --verbose_more --verbose_more_conf --verbose_more_stat --verbose_more_time \
        --verbose_more_used --version --wait_server --sizes --congestion --spin --send --receive \
        --verbose_details --explain --report_interval --timestamps --repeat --until --max_repeats \
        --steady --report_possible --report_counters --cpu_util --limit_bw --limit_msgrate \
        --max_lat --max_p99 --max_percentiles --limit_intervals --output_format --out_json \
        --out_json_file --label --max_clients --bind --allow --max_time --no_quit --daemon \
        --debug ;;
    cxi_send_bw) echo --usage --help --version --device= --svc-id= --provider= --tx-gpu= --rx-gpu= \
        --gpu-type= --port= --ipv6-addr --keep_serving --clients= --max_duration= --timeout= \
        --iters= --duration= --size= --sizes= --list-size= --bidirectional --no-idc --rdzv \
        --verify --buf-sz= --buf-align= --use-hp= --repeat= --until= --max_repeats= --max_time= \
        --steady --report_possible --limit_bw= --limit_msgrate= --limit_intervals --limit_peers \
        --report_interval= --timestamps --cpu_util --report-counters= --explain --output_format= \
        --out_json --out_json_file= --label= ;;
    run) echo --help --file= --limit= --output_format= --out_json_file= --label= ;;
    perftest) echo --help --version --ssh= --rsh= --port= --address= --start_timeout= --server_output ;;
    serve) echo --help --port= --bind_source_ip= --allow= --max_clients= --max_duration= --port_of= \
        --rdma_cm ;;
    matrix) echo --help --controller= --port= --hosts= --rank= --rsh= --started_by= --join_timeout= \
        --address= --parallel= --rails= --all_rails= --local= --every= --limit= --min_share= \
        --output_format= --out_json_file= --label= ;;
    compare) echo --help --runs= --until= --seed= --limit= --output_format= --out_json_file= \
        --label= ;;
    gate) echo --help --save_baseline= --baseline= --tolerance= --runs= --limit= --output_format= \
        --out_json_file= --label= ;;
    verify) echo --help --ib-dev= --ib-port= --only= --budget= --limit= --output_format= --out_json_file= \
        --label= ;;
    metrics) echo --help --output= ;;
    report) echo --help --output= --output_format= --title= ;;
    esac
}

# Operands that are known, beside hosts.
_perftest_operands() { # PROGRAM
    case $1 in
    qperf) echo conf quit rds_bw rds_lat sctp_bw sctp_lat sdp_bw sdp_lat tcp_bw tcp_lat tcp_crr udp_bw \
        udp_lat rc_bi_bw rc_bw rc_compare_swap_mr rc_fetch_add_mr rc_lat rc_rdma_read_bw rc_rdma_read_lat \
        rc_rdma_write_bw rc_rdma_write_lat rc_rdma_write_poll_lat uc_bi_bw uc_bw uc_lat uc_rdma_write_bw \
        uc_rdma_write_lat uc_rdma_write_poll_lat ud_bi_bw ud_bw ud_lat ver_rc_compare_swap \
        ver_rc_fetch_add xrc_bi_bw xrc_bw xrc_lat ;;
    perftest | run | compare | gate) echo "$_perftest_programs" ;;
    metrics | report) echo @file ;;
    matrix) echo all ring quick bisection shift incast fanout "$_perftest_programs" ;;
    esac
}

# What may follow an option: words, @file, @device, @none (a number or the like), or nothing at all.
_perftest_values() { # PROGRAM OPTION
    case $1:$2 in
    cmtime:--controller | cmtime:-C) echo '@none' ;;
    cmtime:--port | cmtime:-p) echo '@none' ;;
    cmtime:--peers | cmtime:-P) echo '@none' ;;
    cmtime:--join_timeout) echo '@none' ;;
    cmtime:--timeout) echo '@none' ;;
    cmtime:--bind_interface | cmtime:-B) echo '@none' ;;
    cmtime:--bind_address | cmtime:-b) echo '@none' ;;
    cmtime:--connections | cmtime:-c) echo '@none' ;;
    cmtime:--mimic_qp_delay | cmtime:-m) echo 'off' ;;
    cmtime:--base_qpn | cmtime:-q) echo '@none' ;;
    cmtime:--threads | cmtime:-n) echo '@none' ;;
    cmtime:--retries | cmtime:-r) echo '@none' ;;
    cmtime:--resolve_timeout | cmtime:-t) echo '@none' ;;
    cmtime:--window) echo '@none' ;;
    cmtime:--rate) echo 'off' ;;
    cmtime:--duration) echo '@none' ;;
    cmtime:--repeat) echo '@none' ;;
    cmtime:--until) echo 'off' ;;
    cmtime:--max_repeats) echo '@none' ;;
    cmtime:--max_time) echo '@none' ;;
    cmtime:--percentiles) echo 'off' ;;
    cmtime:--limit_rate) echo '@none' ;;
    cmtime:--max_lat) echo '@none' ;;
    cmtime:--max_p99) echo '@none' ;;
    cmtime:--max_percentiles) echo '@none' ;;
    cmtime:--report_interval) echo 'off' ;;
    cmtime:--report-counters | cmtime:-W) echo '@none' ;;
    cmtime:--output_format) echo 'text json csv jsonl openmetrics ' ;;
    cmtime:--out_json_file) echo '@file' ;;
    cmtime:--label) echo '@none' ;;
    cmtime:*) ;;
    qperf:--access_recv | qperf:-ar) echo '@none' ;;
    qperf:--alt_port | qperf:-ap) echo '@none' ;;
    qperf:--cpu_affinity | qperf:-ca) echo 'any' ;;
    qperf:--flip | qperf:-f) echo '@none' ;;
    qperf:--help | qperf:-h) echo 'categories examples options opts tests conf quit rds_bw rds_lat sctp_bw sctp_lat sdp_bw sdp_lat tcp_bw tcp_lat tcp_crr udp_bw udp_lat rc_bi_bw rc_bw rc_compare_swap_mr rc_fetch_add_mr rc_lat rc_rdma_read_bw rc_rdma_read_lat rc_rdma_write_bw rc_rdma_write_lat rc_rdma_write_poll_lat uc_bi_bw uc_bw uc_lat uc_rdma_write_bw uc_rdma_write_lat uc_rdma_write_poll_lat ud_bi_bw ud_bw ud_lat ver_rc_compare_swap ver_rc_fetch_add xrc_bi_bw xrc_bw xrc_lat ' ;;
    qperf:--host | qperf:-H) echo '@none' ;;
    qperf:--id | qperf:-i) echo '@none' ;;
    qperf:--listen_port | qperf:-lp) echo '@none' ;;
    qperf:--loop | qperf:-oo) echo '@none' ;;
    qperf:--msg_size | qperf:-m) echo '@none' ;;
    qperf:--mtu_size | qperf:-mt) echo '@none' ;;
    qperf:--no_msgs | qperf:-n) echo '@none' ;;
    qperf:--cq_poll | qperf:-cp) echo '@none' ;;
    qperf:--ip_port | qperf:-ip) echo '@none' ;;
    qperf:--precision | qperf:-e) echo '@none' ;;
    qperf:--rd_atomic | qperf:-nr) echo '@none' ;;
    qperf:--service_level | qperf:-sl) echo '@none' ;;
    qperf:--sock_buf_size | qperf:-sb) echo '@none' ;;
    qperf:--src_path_bits | qperf:-sp) echo '@none' ;;
    qperf:--static_rate | qperf:-sr) echo '@none' ;;
    qperf:--time | qperf:-t) echo '@none' ;;
    qperf:--timeout | qperf:-to) echo '@none' ;;
    qperf:--use_cm | qperf:-cm) echo '@none' ;;
    qperf:--wait_server | qperf:-ws) echo '@none' ;;
    qperf:--sizes) echo '@none' ;;
    qperf:--congestion) echo '@none' ;;
    qperf:--spin) echo '@none' ;;
    qperf:--send) echo 'plain batch segment zerocopy file ' ;;
    qperf:--receive) echo 'plain batch coalesce trunc ' ;;
    qperf:--report_interval) echo '@none' ;;
    qperf:--repeat) echo '@none' ;;
    qperf:--until) echo '@none' ;;
    qperf:--max_repeats) echo '@none' ;;
    qperf:--report_counters) echo '@none' ;;
    qperf:--limit_bw) echo '@none' ;;
    qperf:--limit_msgrate) echo '@none' ;;
    qperf:--max_lat) echo '@none' ;;
    qperf:--max_p99) echo '@none' ;;
    qperf:--max_percentiles) echo '@none' ;;
    qperf:--output_format) echo 'text json csv jsonl openmetrics ' ;;
    qperf:--out_json_file) echo '@file' ;;
    qperf:--label) echo '@none' ;;
    qperf:--max_clients) echo '@none' ;;
    qperf:--bind) echo '@none' ;;
    qperf:--allow) echo '@none' ;;
    qperf:--max_time) echo '@none' ;;
    qperf:*) ;;
    cxi_send_bw:--device | cxi_send_bw:-d) echo '@none' ;;
    cxi_send_bw:--svc-id | cxi_send_bw:-v) echo '@none' ;;
    cxi_send_bw:--provider) echo 'tcp shm verbs efa cxi ' ;;
    cxi_send_bw:--tx-gpu | cxi_send_bw:-t) echo 'off' ;;
    cxi_send_bw:--rx-gpu | cxi_send_bw:-r) echo 'off' ;;
    cxi_send_bw:--gpu-type | cxi_send_bw:-g) echo 'AMD NVIDIA INTEL auto ' ;;
    cxi_send_bw:--port | cxi_send_bw:-p) echo '@none' ;;
    cxi_send_bw:--clients) echo 'off' ;;
    cxi_send_bw:--max_duration) echo 'off' ;;
    cxi_send_bw:--timeout) echo '@none' ;;
    cxi_send_bw:--iters | cxi_send_bw:-n) echo '@none' ;;
    cxi_send_bw:--duration | cxi_send_bw:-D) echo 'off' ;;
    cxi_send_bw:--size | cxi_send_bw:--sizes | cxi_send_bw:-s) echo '@none' ;;
    cxi_send_bw:--list-size | cxi_send_bw:-l) echo '@none' ;;
    cxi_send_bw:--buf-sz) echo '@none' ;;
    cxi_send_bw:--buf-align) echo '@none' ;;
    cxi_send_bw:--use-hp) echo '2M 1G off ' ;;
    cxi_send_bw:--repeat) echo '@none' ;;
    cxi_send_bw:--until) echo 'off' ;;
    cxi_send_bw:--max_repeats) echo '@none' ;;
    cxi_send_bw:--max_time) echo '@none' ;;
    cxi_send_bw:--limit_bw) echo '@none' ;;
    cxi_send_bw:--limit_msgrate) echo '@none' ;;
    cxi_send_bw:--report_interval) echo 'off' ;;
    cxi_send_bw:--report-counters | cxi_send_bw:-W) echo '@none' ;;
    cxi_send_bw:--output_format) echo 'text json csv jsonl openmetrics ' ;;
    cxi_send_bw:--out_json_file) echo '@file' ;;
    cxi_send_bw:--label) echo '@none' ;;
    cxi_send_bw:*) ;;
    run:--file | run:-f) echo '@file' ;;
    run:--limit) echo '@none' ;;
    run:--output_format) echo 'text json jsonl ' ;;
    run:--out_json_file) echo '@file' ;;
    run:--label) echo '@none' ;;
    run:*) ;;
    perftest:--ssh) echo '@none' ;;
    perftest:--rsh) echo '@none' ;;
    perftest:--port | perftest:-p) echo 'auto' ;;
    perftest:--address) echo '@none' ;;
    perftest:--start_timeout) echo '@none' ;;
    perftest:*) ;;
    serve:--port | serve:-p) echo '@none' ;;
    serve:--bind_source_ip) echo '@none' ;;
    serve:--allow) echo '@none' ;;
    serve:--max_clients) echo '@none' ;;
    serve:--max_duration) echo '@none' ;;
    serve:--port_of) echo '@none' ;;
    serve:*) ;;
    matrix:--controller) echo '@none' ;;
    matrix:--port | matrix:-p) echo '@none' ;;
    matrix:--hosts | matrix:-N) echo '@none' ;;
    matrix:--rank) echo 'auto' ;;
    matrix:--rsh) echo '@none' ;;
    matrix:--started_by) echo '@none' ;;
    matrix:--join_timeout) echo '@none' ;;
    matrix:--address) echo '@none' ;;
    matrix:--parallel) echo 'all' ;;
    matrix:--rails) echo '@none' ;;
    matrix:--all_rails) echo '@none' ;;
    matrix:--local) echo '@none' ;;
    matrix:--every) echo 'once' ;;
    matrix:--limit) echo '@none' ;;
    matrix:--min_share) echo '@none' ;;
    matrix:--output_format) echo 'text json jsonl csv ' ;;
    matrix:--out_json_file) echo '@file' ;;
    matrix:--label) echo '@none' ;;
    matrix:*) ;;
    compare:--runs) echo 'auto' ;;
    compare:--until) echo 'off' ;;
    compare:--seed) echo 'auto' ;;
    compare:--limit) echo '@none' ;;
    compare:--output_format) echo 'text markdown json ' ;;
    compare:--out_json_file) echo '@file' ;;
    compare:--label) echo '@none' ;;
    compare:*) ;;
    gate:--save_baseline) echo '@file' ;;
    gate:--baseline) echo '@file' ;;
    gate:--tolerance) echo '@none' ;;
    gate:--runs) echo 'auto' ;;
    gate:--limit) echo '@none' ;;
    gate:--output_format) echo 'text markdown json junit tap ' ;;
    gate:--out_json_file) echo '@file' ;;
    gate:--label) echo '@none' ;;
    gate:*) ;;
    verify:--ib-dev | verify:-d) echo '@device' ;;
    verify:--ib-port | verify:-i) echo 'auto' ;;
    verify:--only) echo '@none' ;;
    verify:--budget) echo '@none' ;;
    verify:--limit) echo '@none' ;;
    verify:--output_format) echo 'text markdown json junit tap ' ;;
    verify:--out_json_file) echo '@file' ;;
    verify:--label) echo '@none' ;;
    verify:*) ;;
    metrics:--output | metrics:-o) echo '@file' ;;
    metrics:*) ;;
    report:--output | report:-o) echo '@file' ;;
    report:--output_format) echo 'html markdown hgrm ' ;;
    report:--title) echo '@none' ;;
    report:*) ;;
    *:--port | *:-p) echo '@none' ;;
    *:--bind_source_ip) echo '@none' ;;
    *:--timeout) echo '@none' ;;
    *:--clients) echo 'off' ;;
    *:--max_memory) echo 'auto' ;;
    *:--max_duration) echo 'off' ;;
    *:--ib-dev | *:-d) echo '@device' ;;
    *:--ib-port | *:-i) echo '@none' ;;
    ib_send_bw:--connection | ib_send_bw:-c) echo 'RC UC UD XRC DC SRD ' ;;
    ib_send_lat:--connection | ib_send_lat:-c) echo 'RC UC UD XRC DC SRD ' ;;
    ib_write_bw:--connection | ib_write_bw:-c) echo 'RC UC XRC DC SRD ' ;;
    ib_write_lat:--connection | ib_write_lat:-c) echo 'RC UC XRC DC SRD ' ;;
    ib_read_bw:--connection | ib_read_bw:-c) echo 'RC XRC DC SRD ' ;;
    ib_read_lat:--connection | ib_read_lat:-c) echo 'RC XRC DC SRD ' ;;
    ib_atomic_bw:--connection | ib_atomic_bw:-c) echo 'RC XRC DC ' ;;
    ib_atomic_lat:--connection | ib_atomic_lat:-c) echo 'RC XRC DC ' ;;
    raw_ethernet_bw:--connection | raw_ethernet_bw:-c) echo 'RawEth ' ;;
    raw_ethernet_lat:--connection | raw_ethernet_lat:-c) echo 'RawEth ' ;;
    raw_ethernet_burst_lat:--connection | raw_ethernet_burst_lat:-c) echo 'RawEth ' ;;
    raw_ethernet_fs_rate:--connection | raw_ethernet_fs_rate:-c) echo 'RawEth ' ;;
    *:--mtu | *:-m) echo 'auto' ;;
    *:--gid-index | *:-x) echo 'auto' ;;
    *:--sl | *:-S) echo '@none' ;;
    *:--tclass) echo '@none' ;;
    *:--flow_label) echo '@none' ;;
    *:--dlid) echo 'auto' ;;
    *:--pkey_index) echo '@none' ;;
    *:--qp-timeout | *:-u) echo '@none' ;;
    *:--tos | *:-T) echo 'auto' ;;
    *:--retry_count) echo '@none' ;;
    ib_send_bw:--force-link) echo 'IB Ethernet auto ' ;;
    ib_send_lat:--force-link) echo 'IB Ethernet auto ' ;;
    ib_write_bw:--force-link) echo 'IB Ethernet auto ' ;;
    ib_write_lat:--force-link) echo 'IB Ethernet auto ' ;;
    ib_read_bw:--force-link) echo 'IB Ethernet auto ' ;;
    ib_read_lat:--force-link) echo 'IB Ethernet auto ' ;;
    ib_atomic_bw:--force-link) echo 'IB Ethernet auto ' ;;
    ib_atomic_lat:--force-link) echo 'IB Ethernet auto ' ;;
    *:--source_mac | *:-B) echo '@none' ;;
    *:--dest_mac | *:-E) echo '@none' ;;
    *:--dest_ip | *:-J) echo '@none' ;;
    *:--source_ip | *:-j) echo '@none' ;;
    *:--local_ip) echo '@none' ;;
    *:--remote_ip) echo '@none' ;;
    *:--dest_port | *:-K) echo 'none' ;;
    *:--source_port | *:-k) echo 'none' ;;
    *:--local_port) echo 'none' ;;
    *:--remote_port) echo 'none' ;;
    *:--hop_limit | *:-L) echo '@none' ;;
    *:--ethertype | *:-Y) echo 'auto' ;;
    *:--vlan_pcp) echo '@none' ;;
    *:--flows) echo '@none' ;;
    *:--flows_burst) echo '@none' ;;
    *:--reply_every) echo '@none' ;;
    *:--size | *:-s) echo '@none' ;;
    *:--sizes) echo '@none' ;;
    *:--iters | *:-n) echo '@none' ;;
    *:--duration | *:-D) echo 'off' ;;
    *:--margin | *:-f) echo 'auto' ;;
    *:--MGID | *:-M) echo '@none' ;;
    ib_atomic_bw:--atomic_type | ib_atomic_bw:-A) echo 'CMP_AND_SWAP FETCH_AND_ADD ' ;;
    ib_atomic_lat:--atomic_type | ib_atomic_lat:-A) echo 'CMP_AND_SWAP FETCH_AND_ADD ' ;;
    *:--inline_size | *:-I) echo 'auto' ;;
    *:--qp | *:-q) echo '@none' ;;
    *:--threads) echo '@none' ;;
    *:--tx-depth | *:-t) echo 'auto' ;;
    *:--rx-depth | *:-r) echo 'auto' ;;
    *:--outs | *:-o) echo 'auto' ;;
    *:--log_dci_streams) echo '@none' ;;
    *:--log_active_dci_streams) echo 'auto' ;;
    *:--cq-mod | *:-Q) echo 'auto' ;;
    *:--post_list | *:-l) echo '@none' ;;
    *:--recv_post_list) echo '@none' ;;
    *:--vector | *:-X) echo '@none' ;;
    *:--cqe_poll) echo 'auto' ;;
    *:--inline_recv) echo '@none' ;;
    ib_send_bw:--congest_type) echo 'DCQCN LDCP HC3 DIP auto ' ;;
    ib_send_lat:--congest_type) echo 'DCQCN LDCP HC3 DIP auto ' ;;
    ib_write_bw:--congest_type) echo 'DCQCN LDCP HC3 DIP auto ' ;;
    ib_write_lat:--congest_type) echo 'DCQCN LDCP HC3 DIP auto ' ;;
    ib_read_bw:--congest_type) echo 'DCQCN LDCP HC3 DIP auto ' ;;
    ib_read_lat:--congest_type) echo 'DCQCN LDCP HC3 DIP auto ' ;;
    ib_atomic_bw:--congest_type) echo 'DCQCN LDCP HC3 DIP auto ' ;;
    ib_atomic_lat:--congest_type) echo 'DCQCN LDCP HC3 DIP auto ' ;;
    *:--rate_limit) echo 'off' ;;
    ib_send_bw:--rate_units) echo 'M g p ' ;;
    ib_write_bw:--rate_units) echo 'M g p ' ;;
    ib_read_bw:--rate_units) echo 'M g p ' ;;
    ib_atomic_bw:--rate_units) echo 'M g p ' ;;
    raw_ethernet_bw:--rate_units) echo 'M g p ' ;;
    raw_ethernet_burst_lat:--rate_units) echo 'M g p ' ;;
    ib_send_bw:--rate_limit_type) echo 'HW SW PP auto ' ;;
    ib_write_bw:--rate_limit_type) echo 'HW SW PP auto ' ;;
    ib_read_bw:--rate_limit_type) echo 'HW SW auto ' ;;
    ib_atomic_bw:--rate_limit_type) echo 'HW SW auto ' ;;
    raw_ethernet_bw:--rate_limit_type) echo 'SW PP auto ' ;;
    raw_ethernet_burst_lat:--rate_limit_type) echo 'SW auto ' ;;
    *:--burst_size) echo '@none' ;;
    *:--typical_pkt_size) echo '@none' ;;
    *:--latency_gap) echo '@none' ;;
    *:--rate) echo '@none' ;;
    ib_send_lat:--arrival) echo 'constant poisson ' ;;
    ib_write_lat:--arrival) echo 'constant poisson ' ;;
    ib_read_lat:--arrival) echo 'constant poisson ' ;;
    ib_atomic_lat:--arrival) echo 'constant poisson ' ;;
    *:--arrival_seed) echo '@none' ;;
    *:--wait_destroy) echo '@none' ;;
    *:--repeat) echo '@none' ;;
    *:--until) echo 'off' ;;
    *:--max_repeats) echo '@none' ;;
    *:--max_time) echo '@none' ;;
    *:--hugepage_size) echo 'auto' ;;
    *:--use_ib_dm_dmabuf) echo '@none' ;;
    ib_send_bw:--memory) echo 'list auto ' ;;
    ib_send_lat:--memory) echo 'list auto ' ;;
    ib_write_bw:--memory) echo 'list auto ' ;;
    ib_write_lat:--memory) echo 'list auto ' ;;
    ib_read_bw:--memory) echo 'list auto ' ;;
    ib_read_lat:--memory) echo 'list auto ' ;;
    ib_atomic_bw:--memory) echo 'list auto ' ;;
    ib_atomic_lat:--memory) echo 'list auto ' ;;
    *:--use_cuda) echo 'off' ;;
    *:--use_cuda_bus_id) echo '@none' ;;
    ib_send_bw:--cuda_mem_type) echo 'device managed host malloc 0 1 2 4 ' ;;
    ib_send_lat:--cuda_mem_type) echo 'device managed host malloc 0 1 2 4 ' ;;
    ib_write_bw:--cuda_mem_type) echo 'device managed host malloc 0 1 2 4 ' ;;
    ib_write_lat:--cuda_mem_type) echo 'device managed host malloc 0 1 2 4 ' ;;
    ib_read_bw:--cuda_mem_type) echo 'device managed host malloc 0 1 2 4 ' ;;
    ib_read_lat:--cuda_mem_type) echo 'device managed host malloc 0 1 2 4 ' ;;
    ib_atomic_bw:--cuda_mem_type) echo 'device managed host malloc 0 1 2 4 ' ;;
    ib_atomic_lat:--cuda_mem_type) echo 'device managed host malloc 0 1 2 4 ' ;;
    *:--use_rocm) echo 'off' ;;
    *:--use_ze) echo 'off' ;;
    *:--use_hl) echo '@none' ;;
    *:--use_neuron) echo 'off' ;;
    *:--use_mlu) echo 'off' ;;
    *:--use_musa) echo 'off' ;;
    *:--use_musa_bus_id) echo '@none' ;;
    *:--use_opencl) echo 'off' ;;
    *:--opencl_platform_id) echo '@none' ;;
    ib_send_bw:--gpu_touch) echo 'once infinite off ' ;;
    ib_send_lat:--gpu_touch) echo 'once infinite off ' ;;
    ib_write_bw:--gpu_touch) echo 'once infinite off ' ;;
    ib_write_lat:--gpu_touch) echo 'once infinite off ' ;;
    ib_read_bw:--gpu_touch) echo 'once infinite off ' ;;
    ib_read_lat:--gpu_touch) echo 'once infinite off ' ;;
    ib_atomic_bw:--gpu_touch) echo 'once infinite off ' ;;
    ib_atomic_lat:--gpu_touch) echo 'once infinite off ' ;;
    *:--ph) echo 'none' ;;
    ib_send_bw:--tph_mem) echo 'vm pm none ' ;;
    ib_send_lat:--tph_mem) echo 'vm pm none ' ;;
    ib_write_bw:--tph_mem) echo 'vm pm none ' ;;
    ib_write_lat:--tph_mem) echo 'vm pm none ' ;;
    ib_read_bw:--tph_mem) echo 'vm pm none ' ;;
    ib_read_lat:--tph_mem) echo 'vm pm none ' ;;
    ib_atomic_bw:--tph_mem) echo 'vm pm none ' ;;
    ib_atomic_lat:--tph_mem) echo 'vm pm none ' ;;
    raw_ethernet_bw:--tph_mem) echo 'vm pm none ' ;;
    raw_ethernet_lat:--tph_mem) echo 'vm pm none ' ;;
    raw_ethernet_burst_lat:--tph_mem) echo 'vm pm none ' ;;
    *:--cpu_id) echo 'none' ;;
    ib_send_bw:--aes_block_size) echo '512 520 4048 4096 4160 ' ;;
    ib_send_lat:--aes_block_size) echo '512 520 4048 4096 4160 ' ;;
    ib_write_bw:--aes_block_size) echo '512 520 4048 4096 4160 ' ;;
    ib_write_lat:--aes_block_size) echo '512 520 4048 4096 4160 ' ;;
    ib_read_bw:--aes_block_size) echo '512 520 4048 4096 4160 ' ;;
    ib_read_lat:--aes_block_size) echo '512 520 4048 4096 4160 ' ;;
    *:--data_enc_keys_number) echo '@none' ;;
    *:--kek_path) echo '@file' ;;
    *:--credentials_path) echo '@file' ;;
    *:--data_enc_key_app_path) echo '@none' ;;
    *:--mmap) echo '@file' ;;
    *:--mmap-offset) echo '@none' ;;
    *:--payload_file_path) echo '@file' ;;
    *:--pin_cores) echo '@none' ;;
    *:--numa_node) echo 'auto' ;;
    *:--percentiles) echo 'none' ;;
    *:--report_interval) echo 'off' ;;
    *:--limit_bw | *:-w) echo '@none' ;;
    *:--limit_msgrate | *:-y) echo '@none' ;;
    *:--max_lat) echo '@none' ;;
    *:--max_p99) echo '@none' ;;
    *:--max_percentiles) echo '@none' ;;
    *:--report-counters | *:-W) echo '@none' ;;
    ib_send_bw:--output) echo 'bandwidth message_rate all ' ;;
    ib_send_lat:--output) echo 'latency all ' ;;
    ib_write_bw:--output) echo 'bandwidth message_rate all ' ;;
    ib_write_lat:--output) echo 'latency all ' ;;
    ib_read_bw:--output) echo 'bandwidth message_rate all ' ;;
    ib_read_lat:--output) echo 'latency all ' ;;
    ib_atomic_bw:--output) echo 'bandwidth message_rate all ' ;;
    ib_atomic_lat:--output) echo 'latency all ' ;;
    raw_ethernet_bw:--output) echo 'bandwidth message_rate all ' ;;
    raw_ethernet_lat:--output) echo 'latency all ' ;;
    raw_ethernet_burst_lat:--output) echo 'latency all ' ;;
    raw_ethernet_fs_rate:--output) echo 'latency all ' ;;
    ib_send_bw:--output_format) echo 'text json csv jsonl openmetrics ' ;;
    ib_send_lat:--output_format) echo 'text json csv jsonl openmetrics ' ;;
    ib_write_bw:--output_format) echo 'text json csv jsonl openmetrics ' ;;
    ib_write_lat:--output_format) echo 'text json csv jsonl openmetrics ' ;;
    ib_read_bw:--output_format) echo 'text json csv jsonl openmetrics ' ;;
    ib_read_lat:--output_format) echo 'text json csv jsonl openmetrics ' ;;
    ib_atomic_bw:--output_format) echo 'text json csv jsonl openmetrics ' ;;
    ib_atomic_lat:--output_format) echo 'text json csv jsonl openmetrics ' ;;
    raw_ethernet_bw:--output_format) echo 'text json csv jsonl openmetrics ' ;;
    raw_ethernet_lat:--output_format) echo 'text json csv jsonl openmetrics ' ;;
    raw_ethernet_burst_lat:--output_format) echo 'text json csv jsonl openmetrics ' ;;
    raw_ethernet_fs_rate:--output_format) echo 'text json csv jsonl openmetrics ' ;;
    *:--out_json_file) echo '@file' ;;
    *:--label) echo '@none' ;;
    esac
}

_perftest_programs="ib_send_bw ib_send_lat ib_write_bw ib_write_lat ib_read_bw ib_read_lat ib_atomic_bw ib_atomic_lat raw_ethernet_bw raw_ethernet_lat raw_ethernet_burst_lat raw_ethernet_fs_rate cmtime qperf cxi_send_bw"
# shellcheck disable=SC2086 # a name each
complete -F _perftest $_perftest_programs raw_ethernet_send_bw raw_ethernet_send_lat
complete -F _perftest_script perftest runme run_soft run_perftest_loopback krping_run
