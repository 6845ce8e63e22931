#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# `perftest report`: pages of documents of short runs over soft0, read by parsers of XML and, where it is installed, by a browser.

load helpers

perftest=$PERFTEST_BUILD/perftest

# What the page has: a line for each chart, "TITLE: MARKS marks, LINES lines, ROWS rows", and one for each other table. A page
# that is not XML, refers to another, has a script, or whose references and table rows do not fit, is an error.
page() { # FILE
    /usr/bin/python3 - "$1" <<'PYTHON'
import re
import sys
import xml.etree.ElementTree as ElementTree

HTML = "{http://www.w3.org/1999/xhtml}"
root = ElementTree.parse(sys.argv[1]).getroot()
ids = [node.get("id") for node in root.iter() if node.get("id")]
assert len(ids) == len(set(ids)), "an id twice"
for node in root.iter():
    assert node.tag in map(HTML.__add__, """html head meta title style body main h1 h2 p footer figure figcaption details summary
        div table thead tbody tr th td ul li svg defs g use path rect circle polyline text""".split()), node.tag
    for name, value in node.attrib.items():
        assert not name.startswith("on") and "nan" not in value and "inf" not in value, (name, value)
        if name in ("href", "aria-labelledby"):
            assert value.lstrip("#") in ids, value
        assert name != "src"
    for name in ("x", "y"):
        assert node.tag != HTML + "use" or -1000 <= float(node.get(name)) <= 1000
assert not re.search(r"url\(|@import", root.find(f".//{HTML}style").text)


def shape(table):
    head = len(table.find(f"{HTML}thead/{HTML}tr"))
    rows = table.findall(f"{HTML}tbody/{HTML}tr")
    assert all(len(row) == head for row in rows), "a row has other columns than its table"
    return len(rows)


inside = set()
for figure in root.iter(HTML + "figure"):
    svg, table = figure.find(HTML + "svg"), figure.find(f".//{HTML}table")
    inside.add(table)
    assert svg.get("role") == "img" and svg.find(HTML + "title").text and figure.find(f".//{HTML}summary").text
    print(f"{figure.find(HTML + 'figcaption').text}: {len(list(svg.iter(HTML + 'use')) + list(svg.iter(HTML + 'rect')))} marks, "
          f"{len(list(svg.iter(HTML + 'polyline')))} lines, {shape(table)} rows")
for region in root.iter(HTML + "div"):
    table = region.find(HTML + "table")
    assert region.get("tabindex") == "0" and region.get("aria-label")
    if table not in inside:
        print(f"{region.get('aria-label')}: {len(list(table.iter(HTML + 'rect')))} marks, {shape(table)} rows")
PYTHON
}

# A line of page(), which a failure shows.
expect_on() { # PAGE LINE
    page "$1" >page.txt || { cat page.txt; return 1; }
    grep -qxF -- "$2" page.txt || { echo "not there: $2"; cat page.txt; return 1; }
}

report() { # ARGUMENTS
    launch report "$perftest" report "$@"
    finish report
    expect_status report 0
    expect_quiet report
}

# bats test_tags=quick
@test "perftest report: sizes, distributions and intervals have a mark for each figure" {
    local intervals
    good_pair ib_write_bw -a -n 5 --out_json_file=bw.json
    good_pair ib_send_lat -n 1000 --out_json_file=lat.json
    good_pair ib_read_lat -n 1000 --output_format=jsonl
    cp client.out lines.jsonl
    good_pair ib_write_bw -s 4096 -D 1 -f 0 --report_interval=0.2 --out_json_file=time.json
    report bw.json lat.json -o page.html lines.jsonl time.json --title="Before & after"
    expect grep -qF "<h1>Before &amp; after</h1>" page.html
    intervals=$(query time.json '[.measurements[] | select(.kind == "interval" and .bandwidth_average_bytes_per_second > 0)] | length')
    expect_on page.html "Runs: 0 marks, 4 rows"
    expect_on page.html "Bandwidth by message size: 23 marks, 1 lines, 23 rows"
    expect_on page.html "Bandwidth over time: $intervals marks, 1 lines, $intervals rows"
    # one row of 4096 bytes; median and 99 % of two runs
    expect_on page.html "Bandwidth: 1 marks, 1 rows"
    expect_on page.html "Latency: 4 marks, 4 rows"
    # 0 to 85 %, 90 to 98.5 %, 99 to 99.85 %, 99.9 % of 1000 samples, and the maximum
    expect_on page.html "Distribution of latency: 70 marks, 2 lines, 35 rows"
    # the figures are those of the document, as perftest compare prints them
    expect grep -qF "<td>$(query lat.json '.measurements[0].latency_typical_usec' | awk '{ printf "%.4g", $1 }')</td>" page.html
    report --output_format=markdown lat.json
    expect grep -q '^| latency, median, 2 bytes | [0-9.]* |$' report.out
    expect [ "$(grep -c '<' report.out)" = 0 ]
}

@test "perftest report: load, pairs of hosts and comparisons" {
    local rank
    good_pair ib_write_lat --rate=20%..80%:30% -n 200 --out_json_file=load.json
    for rank in 0 1; do
        launch "i$rank" "$perftest" matrix --controller=127.0.0.1 -p "$port" -N 2 --rank=$rank --address="127.0.0.$((rank + 1))" \
            --out_json_file=matrix.json ib_write_bw -d soft0 -n 200
    done
    finish i0
    finish i1
    "$perftest" compare --out_json_file=kept.json load.json load.json >kept.out
    launch compare "$perftest" compare --runs=2 --out_json_file=runs.json ib_write_bw -d soft0 -n 100 -- ib_write_bw -d soft0 -n 100
    finish compare
    report load.json matrix.json kept.json runs.json -o page.html
    expect_on page.html "Runs: 0 marks, 4 rows"
    expect_on page.html "Latency by load: 9 marks, 3 lines, 3 rows"
    expect_on page.html "100: usual of a host; less is slower; x: failed; rows are clients, columns servers: 2 marks, 0 lines, 2 rows"
    # the faster one of two pairs is no slow one
    expect grep -qF '<rect class="cell" ' page.html
    expect grep -qF "Each side is one run" page.html
    expect grep -qF "2 pairs of runs in turn" page.html
    expect [ "$(page page.html | grep -c '^Changes from A to B: ')" = 2 ]
    jq '.measurements[] += {p: 1e-5, change_low_percent: -20, change_high_percent: 5949.7}' runs.json >far.json
    report --output_format=markdown far.json
    expect grep -qF ' | \<0.0001 | ' report.out
    expect grep -qF 'the middle is no change, and either end of the scale 5950 %.' report.out
}

@test "perftest report: whatever a document says is text, and bounded" {
    local name
    good_pair ib_send_lat -n 100 --out_json_file=lat.json
    jq '.device.name = "<script>alert(1)</script>\u0007\uffff\u009b\"|`" | .reason = "]]>&amp;" | .status = "failed" | .warnings = ["<b>", 7]
        | .measurements[0] += {latency_typical_usec: 1e308, size_bytes: 1e300, latency_min_usec: -5}
        | .measurements += [7, {kind: [], part: 3, size_bytes: "x", latency_typical_usec: {}, percentiles: {a: 1}},
            {kind: "interval", interval_begin_seconds: -1e308, latency_typical_usec: 1e-300},
            {kind: "result", test: "least", latency_typical_usec: 5e-324, bandwidth_average_bytes_per_second: 1e-310},
            {kind: "interval", interval_begin_seconds: 1e308, latency_typical_usec: 3},
            {kind: "result", latency_average_usec: 2, latency_histogram: {count: 3, buckets_usec: [[2, 9007199254740991], [1, 2]]}},
            {kind: "result", test: ("é" * 500), latency_typical_usec: 1, latency_distribution: {p: 1, p200_usec: 1, pnan_usec: 2}}]
        | .measurements += [range(3000) | {kind: "interval", test: "t", interval_begin_seconds: ., latency_typical_usec: (1 + . % 7)}]
        | .measurements += [range(600) | {kind: "result", step: "s\(.)", latency_typical_usec: 1}]' lat.json >odd.json
    jq -c '. + {matrix: {hosts: [{name: "<i>"}, 3], figure: "latency_typical_usec", findings: [1]}, parameters: {min_share: "x"},
        measurements: [{client: -1, server: 1}, {client: 9007199254740991, server: 0, share: 1e308}, {client: 0, server: 1, value: 1e308, share: -4}]}' \
        lat.json >matrix.json
    jq -c '. + {comparison: {a: "<i>", differences: [2]}, measurements: [{change_percent: 1e308, change_low_percent: -1e308, change_high_percent: 2,
        text: "<u>"}, 4]}' lat.json >comparison.json
    for name in odd matrix comparison; do
        report $name.json -o $name.html
        page $name.html >page.txt || { cat page.txt; return 1; }
        expect [ "$(grep -cE '<(script|i|u|b)>' $name.html)" = 0 ]
        report --output_format=markdown $name.json
        expect [ "$(grep -c '[^\\]<' report.out)" = 0 ]
        expect [ "$("$perftest" metrics $name.json | cat - report.out $name.html | tr -d '\n' | grep -cP '[\x00-\x1f\x7f]|\xc2[\x80-\x9f]')" = 0 ]
    done
    expect [ "$(stat -c %s odd.html)" -lt 1000000 ]
    expect grep -q 'The table has 500 rows; ' odd.html
}

@test "perftest report: what is no document is named, and the file stays as it was" {
    local name
    echo before >page.html
    good_pair ib_send_lat -n 100 --output_format=jsonl --out_json_file=lat.json
    expect cmp <("$perftest" metrics client.out) <("$perftest" metrics lat.json)
    head -c -20 client.out >cut.jsonl
    head -n 2 client.out >killed.jsonl
    echo '{"tool": {"suite": "other"}, "measurements": []}' >other.json
    : >empty.json
    for name in cut.jsonl other.json empty.json nosuch.json; do
        run "$perftest" report killed.jsonl $name -o page.html
        expect [ "$status" = 1 ]
        expect [ "${#lines[@]}" = 1 ]
        [[ $output == *"$name"* ]]
    done
    run "$perftest" report killed.jsonl -o
    expect [ "$status" = 2 ]
    run "$perftest" report
    expect [ "$status" = 2 ]
    expect [ "$(<page.html)" = before ]
    # the name of a file is in the letters of its user
    cp lat.json é.json
    report --output_format=markdown é.json
    expect grep -q '^| é |' report.out
    # a measurement is no place for a page of it
    cp lat.json kept.json
    for name in report metrics; do
        run "$perftest" $name killed.jsonl -o lat.json
        expect [ "$status" = 1 ]
        expect [ "$output" = "perftest $name: error: cannot write lat.json: it is a JSON document, which would be lost; give -o another name" ]
    done
    expect cmp lat.json kept.json
    ln -s loop.html loop.html
    run "$perftest" report killed.jsonl -o loop.html
    expect [ "$output" = "perftest report: error: cannot write loop.html: Too many levels of symbolic links" ]
    # of a run that was killed what it has printed
    report killed.jsonl -o page.html
    expect grep -q 'no end: it was killed, or still runs' page.html
    expect_on page.html "Latency: 2 marks, 2 rows"
    # several documents of a server, one after the other, and a pipe
    cat client.out client.out | "$perftest" report - >page.html
    expect_on page.html "Runs: 0 marks, 2 rows"
    expect [ "$(find . -name '*.tmp')" = "" ]
    run bash -c "'$perftest' report killed.jsonl >/dev/full"
    expect [ "$status" = 1 ]
}

# Each line of HdrHistogram's text by the histogram in the document, and the steps between its lines.
@test "perftest report --output_format=hgrm: HdrHistogram's text" {
    good_pair ib_send_lat -n 3000 --out_json_file=lat.json
    report --output_format=hgrm lat.json -o lat.hgrm
    /usr/bin/python3 - lat.json lat.hgrm <<'PYTHON'
import json
import math
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    row = json.load(file)["measurements"][0]
buckets = [(min(middle, row["latency_max_usec"]), samples) for middle, samples in row["latency_histogram"]["buckets_usec"]]
with open(sys.argv[2], encoding="utf-8") as file:
    lines = file.read().split("\n")
assert lines[0] == "       Value     Percentile TotalCount 1/(1-Percentile)" and lines[1] == "" and lines[-1] == ""
footer = [re.fullmatch(r"#\[(\w+) +=( +[0-9.]+), ([\w ]+?) +=( +[0-9.]+)\]", line).groups() for line in lines[-4:-1]]
assert [(line[0], line[2]) for line in footer] == [("Mean", "StdDeviation"), ("Max", "Total count"), ("Buckets", "SubBuckets")]
assert math.isclose(float(footer[0][1]), row["latency_average_usec"], abs_tol=1e-3)
assert int(footer[1][3]) == row["latency_histogram"]["count"] == 3000
last, level = 0, 0.0
for line in lines[2:-5]:
    value, share, count, inverse = map(float, re.fullmatch(r" *(\d+\.\d{3}) (\d\.\d{12}) +(\d+) +(\d+\.\d\d)", line).groups())
    assert math.isclose(share, level / 100, abs_tol=1e-11) and math.isclose(inverse, 1 / (1 - level / 100), rel_tol=1e-2), line
    # the value is printed with three digits, and buckets are closer
    low, high = (sum(samples for middle, samples in buckets if middle <= value + off) for off in (-0.0006, 0.0006))
    assert low <= count <= high and count >= max(last, math.ceil(3000 * share * (1 - 1e-9))), line
    last, level = count, level + 100 / (5 * 2 ** (math.floor(math.log2(100 / (100 - level))) + 1))
assert re.fullmatch(r" *\d+\.\d{3} 1\.000000000000 +3000", lines[-5])
assert math.isclose(float(lines[-5].split()[0]), row["latency_max_usec"], abs_tol=1e-3)
PYTHON
    run "$perftest" report --output_format=hgrm lat.json lat.json
    expect [ "$status" = 2 ]
    report --output_format=hgrm lat.json lat.json -o two.hgrm
    expect cmp lat.hgrm two.1.hgrm
    expect cmp lat.hgrm two.2.hgrm
    jq 'del(.measurements[].latency_histogram)' lat.json >none.json
    run "$perftest" report --output_format=hgrm none.json
    expect [ "$status" = 1 ]
}

# The same samples by the library: the same shares and counts in the same order, and the values within a bucket.
@test "perftest report --output_format=hgrm: the percentiles that HdrHistogram's library finds" {
    local jar=/usr/share/java/hdrhistogram.jar
    [[ -e $jar ]] && command -v javac >/dev/null || skip "libhdrhistogram-java or javac is not installed"
    good_pair ib_send_lat -n 3000 --out_json_file=lat.json
    report --output_format=hgrm lat.json -o lat.hgrm
    cat >Percentiles.java <<'JAVA'
public class Percentiles {
    public static void main(String[] words) {
        var samples = new org.HdrHistogram.Histogram(3);
        var in = new java.util.Scanner(System.in);
        while (in.hasNext())
            samples.recordValueWithCount(Math.round(1e6 * Double.parseDouble(in.next())), in.nextLong());
        samples.outputPercentileDistribution(System.out, 5, 1e6); // from picoseconds: buckets are closer than 1 ns
    }
}
JAVA
    jq -r '.measurements[0].latency_histogram.buckets_usec[] | "\(.[0]) \(.[1])"' lat.json |
        java -cp "$jar" Percentiles.java >java.hgrm
    paste <(grep -v '^#' lat.hgrm) <(grep -v '^#' java.hgrm) |
        awk 'NR > 2 { lines++
                      if ($2 != $(NF / 2 + 2) || $3 != $(NF / 2 + 3) || ($1 - $(NF / 2 + 1)) ^ 2 > (0.006 * $1) ^ 2 + 0.002 ^ 2) { print; differ++ } }
             END { exit differ || lines < 20 }'
}

@test "plot_csv.gnuplot draws the CSV of a run" {
    command -v gnuplot >/dev/null || skip "gnuplot is not installed"
    good_pair ib_write_bw -a -n 5 --output_format=csv
    cp client.out bw.csv
    gnuplot -c "$PERFTEST_TOP/scripts/plot_csv.gnuplot" bw.csv bw.svg
    expect [ "$(grep -c '<use xlink' bw.svg)" -ge 23 ]
    run gnuplot -c "$PERFTEST_TOP/scripts/plot_csv.gnuplot" bw.csv none.svg latency_typical_usec
    expect [ "$status" != 0 ]
}

@test "plot_csv.R draws the CSV of a run" {
    command -v Rscript >/dev/null || skip "Rscript is not installed"
    good_pair ib_send_lat -a -n 5 --output_format=csv
    cp client.out lat.csv
    Rscript "$PERFTEST_TOP/scripts/plot_csv.R" lat.csv lat.pdf latency_typical_usec
    expect grep -qa '^%PDF' lat.pdf
    run Rscript "$PERFTEST_TOP/scripts/plot_csv.R" lat.csv none.pdf
    expect [ "$status" != 0 ]
}

# At the widths of a phone and of a desktop, in a frame, since a window has a least width; its letters must be inside of the charts.
# bats test_tags=long
@test "perftest report in a browser: no text is cut, nothing is wider than the screen" {
    local width
    command -v chromium >/dev/null || skip "chromium is not installed"
    good_pair ib_write_bw -a -n 5 --out_json_file=bw.json
    good_pair ib_write_lat --rate=20%..80%:30% -n 200 --out_json_file=load.json
    report bw.json load.json -o page.html
    mkdir -m 700 chromium
    for width in 390 1000; do
        cat >frame.html <<HTML
<iframe src="page.html" style="width:${width}px;height:900px"></iframe><script>
onload = () => {
    const page = document.querySelector("iframe").contentDocument, wide = page.documentElement.scrollWidth;
    let cut = 0, texts = 0, marks = 0;
    for (const svg of page.querySelectorAll(".chart")) {
        const box = svg.getBoundingClientRect();
        marks += svg.querySelectorAll("use").length;
        for (const text of svg.querySelectorAll("text")) {
            const own = text.getBoundingClientRect();
            texts += own.width > 0;
            cut += own.width > 0 && (own.left < box.left - 1 || own.right > box.right + 1 || own.top < box.top - 1 || own.bottom > box.bottom + 1);
        }
    }
    document.body.append(\`RESULT \${wide <= $width} \${cut} \${texts > 20} \${marks > 50}\`);
};
</script>
HTML
        # what it leaves in the runtime directory is not ours
        XDG_RUNTIME_DIR=$PWD/chromium chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/chromium" --allow-file-access-from-files --enable-logging=stderr \
            --dump-dom "file://$PWD/frame.html" >dom.html 2>browser.err
        expect [ "$(sed -n 's/^RESULT \([a-z0-9 ]*\)<.*/\1/p' dom.html)" = "true 0 true true" ]
        expect [ "$(grep -c 'CONSOLE' browser.err)" = 0 ]
    done
}
