package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

type options struct {
	workload       string
	url            string
	warmUpURL      string
	contentLength  int64 // -1 if any will do
	warmUpRequests int64
	requests       int64
	seconds        float64 // 0 if there is no limit
	inFlight       int
	connections    int
	bufferSize     int
	idleURL        string
	idleStreams    int64
}

func readOptions() options {
	options := options{contentLength: -1, requests: math.MaxInt64, inFlight: 1, connections: 1, bufferSize: 32 << 10}
	for arguments := os.Args[1:]; len(arguments) >= 2; arguments = arguments[2:] {
		name, value := arguments[0], arguments[1]
		switch name {
		case "--client":
		case "--workload":
			options.workload = value
		case "--url":
			options.url = value
		case "--warm-up-url":
			options.warmUpURL = value
		case "--content-length":
			options.contentLength = parseInt(value)
		case "--warm-up":
			options.warmUpRequests = parseInt(value)
		case "--requests":
			options.requests = parseInt(value)
		case "--seconds":
			options.seconds = parse(strconv.ParseFloat(value, 64))
		case "--in-flight":
			options.inFlight = int(parseInt(value))
		case "--connections":
			options.connections = int(parseInt(value))
		case "--buffer-size":
			options.bufferSize = int(parseInt(value))
		case "--idle-url":
			options.idleURL = value
		case "--idle-streams":
			options.idleStreams = parseInt(value)
		default:
			end(name, "is no option")
		}
	}
	switch options.workload {
	case "get", "value", "items", "post", "encoded-post", "crawl", "discard", "slow", "sessions":
	default:
		end(options.workload, "is no workload of this client")
	}
	if options.url == "" {
		end("--url", "is missing")
	}
	return options
}

// A meter has microseconds, and the number of times that a thread has gone to sleep.
type meter struct {
	processor int64
	wall      int64
	sleeps    int64 // of all threads
}

func (meter *meter) start() { meter.add(-1) }

func (meter *meter) stop() { meter.add(1) }

func (meter *meter) add(sign int64) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		end("getrusage", err.Error())
	}
	meter.processor += sign * (usage.Utime.Nano() + usage.Stime.Nano()) / 1000
	meter.sleeps += sign * usage.Nvcsw
	meter.wall += sign * time.Since(begin).Microseconds()
}

var begin = time.Now()

// An opening has what it took to open the idle streams.
type opening struct {
	streams     int64
	meter       meter
	residentKiB int64
}

type status struct {
	threads, descriptors, residentKiB, peakResidentKiB int64
}

func readStatus() status {
	var status status
	content, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return status
	}
	for _, line := range strings.Split(string(content), "\n") {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		number, _ := strconv.ParseInt(words[1], 10, 64)
		switch words[0] {
		case "Threads:":
			status.threads = number
		case "VmRSS:":
			status.residentKiB = number
		case "VmHWM:":
			status.peakResidentKiB = number
		}
	}
	if entries, err := os.ReadDir("/proc/self/fd"); err == nil {
		status.descriptors = int64(len(entries)) - 1 // the folder's own
	}
	return status
}

// report prints the figures as one line of JSON.
func report(requests int64, meter meter, opening opening, samples []string) {
	fmt.Printf(`{"requests":%d,"cpu_us":%d,"wall_us":%d,"sleeps":%d,"peak_rss_kib":%d,`,
		requests, meter.processor, meter.wall, meter.sleeps, readStatus().peakResidentKiB)
	fmt.Printf(`"opening":{"streams":%d,"cpu_us":%d,"wall_us":%d,"rss_kib":%d},"growth":[%s]}`+"\n",
		opening.streams, opening.meter.processor, opening.meter.wall, opening.residentKiB, strings.Join(samples, ","))
}
