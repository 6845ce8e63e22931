// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Does every rule refuse what it should and nothing else? */
#include "command_line.h"
#include "params/rules/rules.h"

/* For each row of rules_*.c, in any order: a command line that breaks it, and a neighbour that does not. */
struct example {
	const char *refused;
	const char *accepted;
	const char *begin; /* of the sentence */
};

static const struct example examples[] = {
	{"ib_write_bw -D 5 -a", "ib_write_bw -n 5 -a", "-D measures a single message size"},
	{"ib_write_bw -D 6 -f 3", "ib_write_bw -D 7 -f 3", "the two margins"},
	{"ib_write_bw --run_infinitely -a", "ib_write_bw -a", "--run_infinitely measures a single message size"},
	{"ib_send_bw --run_infinitely -b", "ib_write_bw --run_infinitely -b",
	 "--run_infinitely cannot be combined with -b"},
	{"ib_read_lat -D 5 -H", "ib_read_lat -n 500 -H", "-H and -U keep every sample"},
	{"ib_read_lat -U --report_interval=1", "ib_read_lat --report_interval=1",
	 "-H and -U print the samples of the whole"},
	{"ib_read_lat -H --output_format=csv", "ib_read_lat -H --output_format=json", "-H and -U print samples beside"},
	{"ib_write_bw --use_hl=3b:00.0 --use_hugepages", "ib_write_bw --use_hl=3b:00.0", "buffers use one kind"},
	{"ib_send_bw --use_musa=0 --use_musa_bus_id=3b:00.0", "ib_send_bw --use_musa_bus_id=3b:00.0",
	 "a GPU is selected by its number or"},
	{"ib_send_bw --use_cuda_dmabuf", "ib_send_bw --use_cuda_dmabuf --use_cuda=0", "the dmabuf options are for GPU"},
	{"ib_send_bw --use_data_direct", "ib_send_bw --use_data_direct --use_cuda_bus_id=3b:00.0",
	 "--cuda_mem_type and --use_data_direct are for"},
	{"ib_send_bw --opencl_platform_id=0", "ib_send_bw --opencl_platform_id=0 --use_opencl=0 --odp",
	 "--opencl_platform_id selects"},
	{"ib_send_bw --use_cuda=0 --cuda_mem_type=1", "ib_send_bw --use_cuda=0 --cuda_mem_type=1 --odp",
	 "pages that move between GPU and host"},
	{"ib_send_bw --odp --use_rocm 1", "ib_send_bw --odp --use_hugepages", "--odp is for host memory"},
	{"ib_send_bw --use_cuda=0 --inline_recv=32", "ib_send_bw --use_cuda=0 --cuda_mem_type=2 --inline_recv=32",
	 "--inline_recv copies received data with the CPU"},
	{"ib_send_bw --use_cuda=0 --cuda_mem_type=malloc --odp --use_cuda_dmabuf",
	 "ib_send_bw --use_cuda=0 --cuda_mem_type=device --use_cuda_dmabuf", "a dmabuf needs the GPU's own memory"},
	{"ib_send_bw --use_cuda=0 --gpu_touch=once", "ib_send_bw --use_cuda=0 --gpu_touch=once --cuda_mem_type=4 --odp",
	 "--gpu_touch moves pages"},
	{"ib_send_bw --tph_mem=vm --ph=1", "ib_send_bw --tph_mem=vm --cpu_id=3 --ph=1",
	 "--tph_mem and --cpu_id say where --ph should place data"},
	{"ib_read_bw --ph=2 --use-null-mr", "ib_read_bw --ph=2 --use_hugepages",
	 "--ph is for memory that the device reaches through PCIe"},
	{"ib_send_bw --hugepage_size=1G", "ib_send_bw --hugepage_size=1G --use_hugepages", "--hugepage_size needs"},
	{"ib_read_bw --mmap-offset 4096", "ib_read_bw --mmap-offset 4096 --mmap x", "--mmap-offset is an offset"},
	{"ib_read_bw --use-null-mr --data_validation", "ib_read_bw --use-null-mr",
	 "a null memory region holds no data"},
	{"ib_write_lat --use-null-mr", "ib_write_lat --use-null-mr --write_with_imm", "a side that polls memory"},
	{"ib_write_bw -b --limit_intervals --report_interval 1 -w 1 host",
	 "ib_write_bw --limit_intervals --report_interval 1 -w 1 host", "with -b a row of an interval"},
	{"ib_write_bw --limit_intervals --report_interval 1 host",
	 "ib_write_bw --limit_intervals -w 1 --run_infinitely host", "--limit_intervals compares the rows of"},
	{"ib_write_bw --run_infinitely --repeat 3", "ib_write_bw -D 5 --repeat 3",
	 "--run_infinitely is a single endless measurement"},
	{"ib_read_lat --until 1 --report_interval=1", "ib_read_lat --until 1",
	 "--repeat and --until combine several measurements in one row"},
	{"ib_send_lat --repeat 3 -H", "ib_send_lat --repeat 1 -H", "-H and -U print the samples of a single"},
	{"ib_send_bw --repeat 3 --until 1", "ib_send_bw --repeat 1 --until 1",
	 "--repeat sets the number of measurements"},
	{"ib_send_lat --until 0.39", "ib_send_lat --until 0.4",
	 "the histogram of a latency test resolves medians to 0.4 % at best"},
	{"ib_send_lat --repeat 3 --rate 100", "ib_send_lat --rate 100", "--repeat and --until are about the median"},
	{"ib_send_bw --repeat 3 --max_time 9", "ib_send_bw --until 3 --max_time 9",
	 "--max_repeats and --max_time are limits of"},
	{"ib_write_lat --steady", "ib_write_lat --steady --repeat 9", "--steady selects among"},
	{"ib_write_bw -l 64", "ib_write_bw -l 64 -n 6400", "-n must be a multiple of -l"},
	{"ib_write_bw -l 64 -t 16 -n 6400", "ib_write_bw -l 16 -t 16 -n 6400", "-l must not exceed -t"},
	{"ib_write_bw -l 64 -Q 48 -n 6400", "ib_write_bw -l 64 -Q 32 -n 6400", "-l must be a multiple of -Q"},
	{"ib_send_bw --recv_post_list 3", "ib_send_bw --recv_post_list 3 -n 3000",
	 "-n must be a multiple of --recv_post_list"},
	{"ib_send_bw --recv_post_list 100 -r 50", "ib_send_bw --recv_post_list 50 -r 50",
	 "--recv_post_list must not exceed -r"},
	{"ib_write_lat -e", "ib_write_lat -e --write_with_imm", "-e needs completions"},
	{"ib_write_lat -s 0", "ib_write_lat -s 0 --write_with_imm", "-s 0 has no last byte"},
	{"ib_send_bw -s 0 --data_validation", "ib_send_bw -s 0", "messages of -s 0 have no payload"},
	{"ib_send_bw -s 0 --rate_limit 1", "ib_send_bw -s 0 --rate_limit 1 --rate_units p",
	 "messages of -s 0 have no bytes"},
	{"ib_send_bw -X 1", "ib_send_bw -X 1 -e", "-X selects the completion vector"},
	{"ib_write_bw --perform_warm_up --write_with_imm", "ib_write_bw --perform_warm_up",
	 "the other side would count"},
	{"ib_write_bw --data_validation --run_infinitely", "ib_write_bw --data_validation -D 5",
	 "--data_validation runs in rounds, so it cannot print"},
	{"ib_send_lat --data_validation --payload_file_path=x", "ib_send_lat --payload_file_path=x",
	 "--data_validation sends its own pattern"},
	{"ib_read_bw --data_validation --report_interval=1", "ib_read_bw --data_validation --cpu_util",
	 "--data_validation runs in rounds, so the rows"},
	{"ib_write_bw --burst_size 10", "ib_write_bw --burst_size 10 --rate_limit 1",
	 "--burst_size belongs to a rate limit"},
	{"ib_write_bw --rate_limit 10 --rate_limit_type=HW --rate_units=p",
	 "ib_write_bw --rate_limit 10 --rate_limit_type=HW", "a device limits bits"},
	{"ib_send_bw --rate_limit 10 -b", "ib_send_bw --rate_limit 10 --rate_limit_type HW -b",
	 "--rate_limit in software cannot be combined with -b"},
	{"ib_write_bw --use-srq", "ib_write_bw --use-srq --write_with_imm",
	 "--use-srq needs messages that consume receives"},
	{"ib_send_bw --use-srq -q 4 -r 2", "ib_send_bw --use-srq -q 4 -r 4",
	 "with --use-srq, -c XRC and -c DC all queue pairs"},
	{"ib_send_bw --encrypt_on_tx", "ib_send_bw --encrypt_on_tx --aes_xts", "--encrypt_on_tx, --sig_before"},
	{"ib_send_bw --aes_xts --kek_path=a",
	 "ib_send_bw --aes_xts --kek_path=a --credentials_path=b --data_enc_key_app_path=c", "wrapped keys need"},
	{"ib_write_bw --aes_xts -c UC", "ib_write_bw --aes_xts -c RC", "--aes_xts needs RC"},
	{"ib_read_bw --aes_xts --use_old_post_send", "ib_read_bw --aes_xts", "ibv_post_send() cannot set up"},
	{"ib_send_bw --aes_xts -I 64", "ib_send_bw --aes_xts -I 0", "--aes_xts works on data that the device"},
	/* A bare server hears the size, and of immediate data, from its client. */
	{"ib_send_bw --aes_xts --aes_block_size=520 host", "ib_send_bw --aes_xts --aes_block_size=520",
	 "--aes_xts encrypts whole blocks"},
	{"ib_write_lat -s 512 --aes_xts host", "ib_write_lat --aes_xts", "with --aes_xts each side has"},
	{"ib_send_bw --aes_xts --use-srq", "ib_send_bw --aes_xts -q 2", "with --aes_xts each queue pair"},
	{"ib_send_bw --aes_xts --odp", "ib_send_bw --aes_xts --use_hugepages", "--aes_xts needs pinned"},
	{"ib_send_bw --aes_xts --congest_type=DIP", "ib_send_bw --aes_xts --use_ooo", "--aes_xts is for mlx5"},
	{"ib_read_bw --use_ooo -c SRD", "ib_read_bw --use_ooo -c DC", "-c SRD always places data"},
	{"ib_write_lat --use_ooo", "ib_write_lat --use_ooo --write_with_imm", "the other side polls the last byte"},
	{"ib_send_bw --congest_type=LDCP -c DC", "ib_send_bw --congest_type=LDCP -c UD",
	 "--congest_type is for adapters"},
	{"ib_send_bw --congest_type=LDCP --use_ooo", "ib_send_bw --congest_type=LDCP",
	 "--congest_type is for HiSilicon"},
	{"ib_write_bw --unsolicited_write -c SRD", "ib_write_bw --unsolicited_write -c SRD --write_with_imm",
	 "--unsolicited_write is for RDMA WRITE"},
	{"ib_send_bw --use-srq -c SRD", "ib_send_bw --use-srq -c DC", "SRD has no shared receive queues"},
	{"ib_write_bw --use_old_post_send --use_wr_api", "ib_write_bw --use_wr_api",
	 "--use_old_post_send and --use_wr_api"},
	{"ib_write_bw -c SRD --use_old_post_send", "ib_send_bw -c SRD --use_old_post_send",
	 "ibv_post_send() cannot address"},
	{"ib_write_bw --log_dci_streams 2", "ib_write_bw --log_dci_streams 2 -c DC", "--log_dci_streams is for DC"},
	{"ib_read_lat -c DC --log_active_dci_streams 2 --log_dci_streams 1",
	 "ib_read_lat -c DC --log_active_dci_streams 1 --log_dci_streams 1", "--log_active_dci_streams must not"},
	{"ib_send_bw -c DC --log_dci_streams 1 --data_validation",
	 "ib_write_bw -c DC --log_dci_streams 1 --data_validation", "with --log_dci_streams and --use_ooo"},
	{"ib_write_lat -c SRD --data_validation", "ib_write_lat -c SRD --data_validation --write_with_imm",
	 "--data_validation polls the last byte"},
	{"ib_send_bw --use-srq --data_validation --mr_per_qp", "ib_send_bw --use-srq --mr_per_qp",
	 "with --use-srq, -c XRC and -c DC --data_validation"},
	{"ib_write_bw --threads 2 -q 3", "ib_write_bw --threads 2 -q 4", "-q must be a multiple of --threads"},
	{"ib_send_lat --threads 2 -g", "ib_send_lat -g", "--threads cannot be combined with -g"},
	{"ib_read_bw --threads 2 --data_validation", "ib_read_bw --threads 1 --data_validation",
	 "--data_validation runs in rounds, in one thread"},
	{"ib_atomic_bw --threads 2 --rate_limit 10", "ib_atomic_bw --threads 2 --rate_limit 10 --rate_limit_type=HW",
	 "a rate limit in software is kept by one thread"},
	{"ib_write_lat --threads 2 --rate=1000", "ib_write_lat --threads 2", "--rate runs its schedule in one"},
	{"ib_atomic_lat --threads 2 --report_interval=1", "ib_atomic_bw --threads 2 --report_interval=1",
	 "a latency test with --threads cannot print"},
	{"ib_send_lat --threads 2 -H", "ib_send_lat --threads 2",
	 "-H and -U print the samples of one thread, in order"},
	{"ib_write_lat --threads 2 --use_cuda=0", "ib_write_lat --threads 2 --use_cuda=0 --write_with_imm",
	 "a plain RDMA WRITE into GPU memory is polled"},
	{"ib_read_lat --arrival=poisson", "ib_read_lat --arrival=poisson --rate=1000",
	 "--arrival is for the schedule of --rate"},
	{"ib_write_lat --rate=1000 -a", "ib_write_lat --rate=1000 -s 64", "--rate works with one message size"},
	{"ib_send_lat --rate=10%..90% --latency_gap=5", "ib_send_lat --rate=10%..90%", "--rate has its own"},
	{"ib_send_lat --rate=1000 -e", "ib_send_lat -e", "--rate cannot be combined with -e"},
	{"ib_read_lat --rate=1000 --data_validation", "ib_read_lat --rate=1000",
	 "--data_validation runs in rounds, which cannot keep a schedule"},
	{"ib_write_lat --rate=1000 -c UC", "ib_write_lat --rate=1000 -c UC --write_with_imm",
	 "a plain RDMA WRITE that is lost"},
	{"ib_write_lat --rate=1000 -t 128 -s 256K", "ib_write_lat --rate=1000 -t 128 -s 128K",
	 "with --rate each plain RDMA WRITE in flight"},
	{"ib_send_lat --rate=1000 -t 100 -r 50", "ib_send_lat --rate=1000 -t 50 -r 50",
	 "with --rate -r must be at least -t"},
	{"ib_send_lat --rate=50%..70% --run_infinitely", "ib_send_lat --rate=5000 --run_infinitely",
	 "--run_infinitely would never get beyond the first"},
	{"ib_send_bw -M ff0e::1", "ib_send_bw -M ff0e::1 -g", "-M selects the multicast group"},
	{"ib_send_bw -g -b", "ib_send_bw -g", "-g works in one direction only"},
	{"ib_send_lat -g -R", "ib_send_lat -g -z", "-R connects pairs of QPs"},
	{"ib_send_bw -g -q 2 --data_validation", "ib_send_bw -g --data_validation", "--data_validation with -g"},
	{"ib_send_bw --connectionless", "ib_send_bw --connectionless -g", "--connectionless is for a further receiver"},
	{"ib_send_bw --connectionless -g host", "ib_send_bw --connectionless -g -c UD --run_infinitely",
	 "--connectionless is for a receiver that connects to no peer"},
	{"ib_send_bw --connectionless -g -a", "ib_send_bw --connectionless -g -q 4",
	 "-a, --data_validation, --reversed"},
	{"ib_send_bw -c UD --rate_limit 10 --rate_limit_type=HW",
	 "ib_send_bw -c UC --rate_limit 10 --rate_limit_type=HW", "--rate_limit_type=HW limits connections"},
	{"ib_send_bw -R -c UC", "ib_send_bw -R -c UD", "rdma_cm connects only RC and UD"},
	{"ib_write_bw -R --rate_limit 10 --rate_limit_type=HW", "ib_write_bw -R --rate_limit 10",
	 "--rate_limit_type=HW sets the rate of the address handle"},
	{"ib_write_bw -T 32", "ib_write_bw -T 32 -R", "--tos is for queue pairs"},
	{"ib_write_bw --output=bandwidth --output_format=json", "ib_write_bw --output=bandwidth --out_json",
	 "--output prints a bare number"},
	{"ib_write_bw --retry 5", "ib_write_bw --retry 5 host", "--retry is for the client"},
	{"ib_write_bw --keep_serving host", "ib_write_bw --keep_serving", "--keep_serving is for the server"},
	{"ib_write_bw --max_memory 1G host", "ib_write_bw --max_memory 1G", "--max_memory is for the server"},
	{"ib_write_bw --max_duration 9 host", "ib_write_bw --max_duration 9", "--max_duration is for the server"},
	{"ib_write_bw --doctor host", "ib_write_bw --doctor", "--doctor examines this host only"},
	{"ib_write_bw --doctor --output_format=csv", "ib_write_bw --doctor --output_format=json",
	 "--doctor prints a page or a JSON document"},
	{"ib_write_bw --ipv6-addr --bind_source_ip=10.0.0.1", "ib_write_bw --ipv6-addr --bind_source_ip=fe80::1%eth0",
	 "--ipv6-addr needs an IPv6 address"},
	{"ib_write_bw --pin_cores=0 --numa_node=0", "ib_write_bw --pin_cores=0", "--pin_cores and --numa_node"},
	{"raw_ethernet_bw -Z -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --mac_fwd -l 4",
	 "raw_ethernet_bw -Z -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --mac_fwd",
	 "--mac_fwd returns frames one by one"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a host",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a", "frames are sent to a MAC address"},
	{"raw_ethernet_lat -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --side_channel a,b",
	 "raw_ethernet_lat -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --side_channel a",
	 "frames are sent to a single other side"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --side_channel",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --side_channel host",
	 "with --side_channel the client is the side that names the HOST"},
	{"raw_ethernet_bw -Z -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --repeat 3",
	 "raw_ethernet_bw -Z -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --repeat 3 --side_channel",
	 "--retry, --keep_serving, --max_memory, --max_duration, --repeat and --until need a connection"},
	{"raw_ethernet_bw -B 02:00:00:00:00:0b --use_rss --side_channel",
	 "raw_ethernet_bw -B 02:00:00:00:00:0b --side_channel", "--use_rss counts the frames of any clients"},
	{"raw_ethernet_fs_rate -B 02:00:00:00:00:0b host", "raw_ethernet_fs_rate -B 02:00:00:00:00:0b",
	 "steering rules are created without"},
	{"raw_ethernet_bw -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a",
	 "raw_ethernet_bw -Z -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a", "give --client (-P) on one side"},
	{"raw_ethernet_fs_rate -P -Z -B 02:00:00:00:00:0b", "raw_ethernet_fs_rate -B 02:00:00:00:00:0b",
	 "give --client (-P) or --server (-Z), not both"},
	{"raw_ethernet_bw -Z", "raw_ethernet_bw -Z -B 02:00:00:00:00:0b", "give the MAC address of this side"},
	{"raw_ethernet_lat -Z -B 02:00:00:00:00:0b", "raw_ethernet_lat -Z -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a",
	 "give the MAC address that frames go to"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 --local_port 5 "
	 "--remote_port 6",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --local_ip 10.0.0.2 --remote_ip 10.0.0.1 "
	 "--local_port 5 --remote_port 6",
	 "give addresses and ports either by"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 --raw_ipv6",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J fe80::1 -j fe80::2 --raw_ipv6",
	 "IP addresses must be IPv4"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000",
	 "a frame has two ports"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -K 1000 -k 2000",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 --tcp",
	 "ports need an IP header"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 --tcp",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 --tcp",
	 "--tcp needs ports"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --typical_pkt_size 64 --rate_limit 1",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --typical_pkt_size 64 --rate_limit 1 "
	 "--rate_limit_type=PP",
	 "--typical_pkt_size is for packet pacing"},
	{"raw_ethernet_burst_lat -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --reply_every 129",
	 "raw_ethernet_burst_lat -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --reply_every 129 --burst_size 129",
	 "no frame of a burst would be answered"},
	{"raw_ethernet_burst_lat -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --burst_size 1048577",
	 "raw_ethernet_burst_lat -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --burst_size 1048576",
	 "a burst is limited to 1048576 messages"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 --flows 2",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 --flows "
	 "2",
	 "the --flows differ in their ports"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 65000 -k 1 --flows "
	 "600",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 65000 -k 1 --flows "
	 "500",
	 "each flow of each queue pair uses the next"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 --flows "
	 "2 -b",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 -b",
	 "--flows works in one direction only"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 "
	 "--flows_burst 2",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 --flows "
	 "2 --flows_burst 2",
	 "--flows_burst needs more than one of"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 --flows "
	 "4097 --flows_burst 8 -D 2",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 --flows "
	 "4096 --flows_burst 8 -D 2",
	 "--flows times --flows_burst is limited to 32768"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 --flows "
	 "20 --flows_burst 20 -n 300",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 --flows "
	 "20 --flows_burst 20 -n 400",
	 "-n must be at least --flows"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 --flows "
	 "3 -l 4",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 --flows "
	 "2 -l 4",
	 "every list (-l) holds the same frames"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b --raw_mcast -J 239.0.0.1 -j 10.0.0.2 -b",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b --raw_mcast -J 239.0.0.1 -j 10.0.0.2",
	 "--raw_mcast works in one direction only"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 --raw_mcast",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --raw_mcast -J 239.0.0.1 -j 10.0.0.2",
	 "--raw_mcast needs an IPv4 group"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --use_rss",
	 "raw_ethernet_bw -Z -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -G",
	 "--use_rss spreads the frames that the server receives"},
	{"raw_ethernet_bw -Z -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --use_rss -b",
	 "raw_ethernet_bw -Z -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --use_rss --tcp",
	 "--use_rss is for receiving only"},
	{"raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --sizes 64:512:64 -b",
	 "raw_ethernet_bw -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --sizes 64:512:64 --report_interval 1",
	 "with -b each side has to know when the other one goes on"},
	{"raw_ethernet_bw -Z -B 02:00:00:00:00:0b --sizes 64:512:64 --report_interval 1",
	 "raw_ethernet_bw -Z -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --sizes 64:512:64 -q 2",
	 "a server receives all --sizes in one run"},
	{"raw_ethernet_burst_lat -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --sizes 98:1000:1 -n 1300000000",
	 "raw_ethernet_burst_lat -P -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --sizes 98:1000:1 -n 1200000000",
	 "the frames of all --sizes and --repeat are numbered"},
	{"raw_ethernet_bw -Z -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --use_rss -q 6",
	 "raw_ethernet_bw -Z -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --use_rss -q 1",
	 "the number of work queues of --use_rss (-q) must be a power of two"},
	{"ib_write_bw -d a,b localhost", "ib_write_bw -O -d a,b localhost", "-d names two devices"},
	{"ib_write_bw -O -d a,b --doctor", "ib_write_bw -O -d a --doctor", "--doctor examines one device"},
	{"ib_write_bw -O -R", "ib_write_bw -O -z", "-O cannot be combined with -R"},
	{"ib_send_bw -O -g", "ib_send_bw -O -c UD", "-O cannot be combined with -g"},
	{"ib_write_bw -O -q 8193", "ib_write_bw -O -q 8192", "with -O, -q is the number for each port"},
	{"ib_send_bw -O -d a,b --use-srq", "ib_send_bw -O -d a --use-srq", "-O with two devices cannot"},
	{"ib_send_bw -O --report-per-port", "ib_send_bw -O --report-per-port -D 5",
	 "--report-per-port works only with"},
	{"ib_send_bw -O --report-per-port -D 5 --repeat 3", "ib_send_bw -O -D 5 --repeat 3",
	 "--report-per-port covers the whole run"},
	{"ib_send_bw -O --report-per-port -D 5 --data_validation", "ib_send_bw -O -D 5 --data_validation",
	 "--data_validation measures in rounds"},
	{"ib_write_bw --disable_numa --numa_node=0", "ib_write_bw --disable_numa", "--disable_numa leaves"},
	{"ib_write_bw --clients 2 host", "ib_write_bw --clients 2", "--clients is for the server"},
	{"ib_write_bw a,b --dont_xchg_versions", "ib_write_bw a --dont_xchg_versions",
	 "--clients and several HOSTs need"},
	{"ib_send_bw --clients 2 -R", "ib_send_bw a,b -R", "--clients accepts clients over TCP only"},
	{"ib_send_bw --clients 2 -g", "ib_send_bw -g a,b", "-g has one sender"},
	{"ib_send_lat --clients 2 -g", "ib_send_lat -g", "with -g a ping-pong has two sides"},
	{"ib_write_bw --limit_peers -w 1 a", "ib_write_bw --limit_peers -w 1 a,b", "--limit_peers compares each peer"},
	{"ib_write_bw a,b --run_infinitely", "ib_write_bw a,b -D 5",
	 "--clients and several HOSTs print one row for the"},
	{"ib_write_lat --clients 2 --repeat 3", "ib_write_lat --clients 2 -n 500",
	 "--clients and several HOSTs print the row of a single"},
	{"ib_read_lat a,b --rate=1000", "ib_read_lat a --rate=1000", "--rate works with a single pair"},
	{"ib_write_bw --clients 2 --data_validation", "ib_write_bw --clients 2 --report_gbits",
	 "--data_validation runs each pair in rounds of its own"},
	{"ib_write_lat a,b -H", "ib_write_lat a -H", "--clients and several HOSTs merge histograms"},
	{"ib_read_bw a,b -W port_xmit_data", "ib_read_bw a -W port_xmit_data", "-W counts on one device"},
	{"ib_read_bw --clients 3 --reversed", "ib_read_bw --clients 3 -b", "--reversed swaps the roles"},
	{"ib_send_bw --clients 3 --threads 2", "ib_send_bw --clients 3 -q 2",
	 "--clients and several HOSTs use one process"},
	{"ib_write_bw --threads 2 --no_lock", "ib_write_bw --no_lock", "--no_lock creates queues for one thread"},
	{"ib_write_bw --threads 2 -O -d a,b", "ib_write_bw --threads 2 -O -d a", "--threads with -O needs two ports"},
	{"ib_read_bw -O -d a,b --use_ib_dm", "ib_read_bw -O -d a,b --use_ib_dm --mr_per_qp",
	 "--use_ib_dm is memory of only one"},
	{"ib_write_bw a,b -a --perform_warm_up", "ib_write_bw a,b --perform_warm_up",
	 "with several sizes, the warm-up"},
	{"ib_send_bw a,b -O -D 5 --report-per-port", "ib_send_bw a,b -O -D 5",
	 "--report-per-port works with a single pair"},
	{"ib_write_bw --threads 2 -O -D 5 --report-per-port", "ib_write_bw --threads 2 -O -D 5",
	 "--report-per-port works with one thread"},
};

#define NUM_EXAMPLES (sizeof(examples) / sizeof(examples[0]))

static struct command_line line;
static struct params params;

TEST(every_rule_refuses_its_example)
{
	for (size_t i = 0; i < NUM_EXAMPLES; i++) {
		if (command_line_resolve(&line, examples[i].refused, &params) != -EINVAL)
			fail_msg("accepted: %s", examples[i].refused);
		if (strncmp(line.reason, examples[i].begin, strlen(examples[i].begin)) != 0)
			fail_msg("%s: %s", examples[i].refused, line.reason);
		assert_null(strchr(line.reason, '\n'));
	}
}

TEST(the_neighbour_of_every_example_is_accepted)
{
	for (size_t i = 0; i < NUM_EXAMPLES; i++)
		command_line_is_accepted(examples[i].accepted, &params);
}

TEST(every_rule_has_an_example)
{
	static struct rules rules;

	params_init(&params, program_find("ib_write_bw"));
	rules_list(&rules, &params);
	for (size_t n = 0; n < rules.count; n++) {
		const char *sentence = rules.rows[n].sentence;
		unsigned found = 0;

		for (size_t i = 0; i < NUM_EXAMPLES; i++)
			found += strncmp(sentence, examples[i].begin, strlen(examples[i].begin)) == 0;
		if (found != 1)
			fail_msg("%u examples of: %s", found, sentence);
	}
	assert_int_equal(rules.count, NUM_EXAMPLES);
}

TEST(the_values_follow_the_sentence)
{
	assert_int_equal(command_line_resolve(&line, "ib_write_bw -l 64 -t 16 -n 6400", &params), -EINVAL);
	assert_non_null(strstr(line.reason, " (--post_list 64, --tx-depth 16)"));
}

TEST(a_broken_rule_leaves_params_alone)
{
	struct params before;

	assert_int_equal(command_line_parse(&line, "ib_write_bw -D 5 -a", &params), 0);
	before = params;
	assert_int_equal(params_resolve(&params, line.reason, sizeof(line.reason)), -EINVAL);
	assert_memory_equal(&params, &before, sizeof(params));
}

/* The limits of the classic suite that are gone. */
TEST(what_the_classic_suite_refused_for_no_reason)
{
	command_line_is_accepted("ib_write_bw -f 3", &params);
	command_line_is_accepted("ib_write_bw --cpu_util", &params);
	command_line_is_accepted("ib_write_lat --run_infinitely", &params);
}

TEST(combinations_without_effect_are_noted)
{
	static const struct {
		const char *text;
		const char *begin; /* NULL: nothing to say */
	} cases[] = {
		{"ib_write_bw -a -s 5", "-s has no effect with -a or --sizes"},
		{"ib_write_bw -D 5 -n 50", "-n has no effect"},
		{"ib_write_bw -f 1", "-f has an effect only with -D"},
		{"ib_write_bw -r 16", "-r has no effect"},
		{"ib_write_bw --ipv6 -x 3", "--ipv6 has no effect"},
		{"ib_write_bw -R --sl 3", "-S, --tclass, --flow_label, --dlid, --pkey_index and --ipv6 have no effect"},
		{"ib_write_bw -R --pkey_index=0",
		 "-S, --tclass, --flow_label, --dlid, --pkey_index and --ipv6 have no effect"},
		{"ib_read_lat --retry_count=3", "--retry_count has an effect only with -R"},
		{"ib_write_bw -b --reversed", "--reversed has no effect"},
		{"ib_write_bw --recv_post_list=4", "--recv_post_list has no effect on a plain RDMA WRITE"},
		{"ib_write_bw --rate_units M", "--rate_units and --rate_limit_type have an effect only"},
		{"ib_read_bw --rate_limit_type SW", "--rate_units and --rate_limit_type have an effect only"},
		{"ib_write_bw --rate_limit MAX --rate_limit_type HW --rate_units M", NULL},
		{"ib_send_bw --report-both",
		 "--report-both has an effect only with -b, --threads, --clients or several HOSTs"},
		{"ib_send_lat --report-both",
		 "--report-both has an effect only with -b, --threads, --clients or several HOSTs"},
		{"ib_send_lat --report-both --threads 2", NULL},
		{"ib_send_lat --report-both --clients 2", NULL},
		{"ib_write_bw --report-both a,b", NULL},
		{"ib_send_lat --rate 1000 --arrival_seed 2",
		 "--arrival_seed has an effect only with --arrival=poisson"},
		{"raw_ethernet_bw -Z -B 02:00:00:00:00:0b -J 10.0.0.1", "only one of the two IP addresses is given"},
		{"raw_ethernet_bw -Z -B 02:00:00:00:00:0b -p 5", "-p is the port of the side channel"},
		{"raw_ethernet_bw -B 02:00:00:00:00:0b -p 5 --side_channel", NULL},
		{"raw_ethernet_bw -Z -B 02:00:00:00:00:0b --flow_label 5", "--flow_label is a field of the IPv6"},
		{"raw_ethernet_lat -Z -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a --raw_ipv6",
		 "--raw_ipv6 has no effect without IP addresses"},
		{"raw_ethernet_bw -Z -B 02:00:00:00:00:0b --raw_ipv6 -G", NULL},
		{"ib_send_bw -R --flow_label 5",
		 "-S, --tclass, --flow_label, --dlid, --pkey_index and --ipv6 have no effect"},
		{"ib_read_bw -R --ipv6", "-S, --tclass, --flow_label, --dlid, --pkey_index and --ipv6 have no effect"},
		{"ib_read_bw -R -x 3 -d mlx5_0", "with -R, -x has an effect only on a client"},
		{"ib_read_bw -R -x 3 -d mlx5_0 HOST", NULL},
		{"raw_ethernet_bw -Z -B 02:00:00:00:00:0b -T 8", "-T and -L set fields of IP headers"},
		{"raw_ethernet_lat -Z -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -L 3",
		 "-T and -L set fields of IP headers"},
		{"ib_send_lat -g --dlid 5", "--dlid has no effect with -g"},
		{"ib_write_bw -a -n 50 -b -D off --ipv6", NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *sentence;

		command_line_is_accepted(cases[i].text, &params);
		sentence = rules_idle_sentence(&params, NULL, 0);
		if (!cases[i].begin) {
			assert_null(sentence);
			continue;
		}
		assert_non_null(sentence);
		assert_int_equal(strncmp(sentence, cases[i].begin, strlen(cases[i].begin)), 0);
		assert_null(rules_idle_sentence(&params, NULL, 1));
	}
}

TEST_MAIN(NULL, NULL)
