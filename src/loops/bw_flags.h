/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an instance of the bandwidth loop does; see bandwidth.h. */
#pragma once

enum bw_flag {
	BW_SENDS = 1 << 0,
	BW_RECEIVES = 1 << 1,
	BW_MANY = 1 << 2,      /* more than one queue pair */
	BW_MODERATED = 1 << 3, /* not every message is signalled; never with BW_LIST */
	BW_LIST = 1 << 4,      /* chains of more than one send */
	BW_CLOCK = 1 << 5,     /* the clock is read at each successful poll: peak, sample window, end by time */
	BW_WR_API = 1 << 6,
	BW_EVENTS = 1 << 7,
	BW_RATE = 1 << 8,    /* software rate limit */
	BW_SLOTS = 1 << 9,   /* a slot for each message (--data_validation) */
	BW_SHARED = 1 << 10, /* queue pairs share receives (SRQ) */
	/*
	 * Two ports: what moves is counted per port, and the second may have completion queues of its own. Always with
	 * BW_MANY; never with BW_READS.
	 */
	BW_PORTS = 1 << 12,
	/* Arrivals are passed to hooks.arrived(). Never with BW_SLOTS, several queues or BW_LIST. */
	BW_READS = 1 << 11,
	/* Arrivals are counted per receive queue. Always with BW_MANY; never with BW_SENDS or BW_SHARED. */
	BW_QUEUES = 1 << 13,
	/*
	 * The receiver grants credits to the sender (verbs/qp/credit.h). Always with BW_MANY; never with BW_SHARED,
	 * BW_PORTS or BW_QUEUES.
	 */
	BW_CREDITS = 1 << 14,
};
