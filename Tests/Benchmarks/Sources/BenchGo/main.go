// Measures Go's net/http, with the command line and the figures of the programs in Swift.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	messageLength     = 1024
	slowConsumerSleep = 4 * time.Millisecond
	openingAtOnce     = 64
	idleTimeout       = time.Hour
	longestContent    = 1 << 20
)

// A message is what is posted.
type message struct {
	ID   int    `json:"id"`
	Text string `json:"text"`
}

type item struct {
	ID       int      `json:"id"`
	Name     string   `json:"name"`
	IsActive bool     `json:"isActive"`
	Score    float64  `json:"score"`
	Tags     []string `json:"tags"`
}

// A client is a transport with the default settings but for the number of connections to a host.
type client struct {
	options   options
	transport *http.Transport
	message   message
	json      []byte
}

func makeClient(options options) *client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.MaxConnsPerHost = options.connections
	transport.MaxIdleConnsPerHost = options.connections
	transport.MaxIdleConns = 0
	transport.IdleConnTimeout = idleTimeout
	message := message{1, strings.Repeat("a", messageLength-len(`{"id":1,"text":""}`))}
	return &client{options, transport, message, encode(message)}
}

func encode(message message) []byte {
	content, err := json.Marshal(message)
	if err != nil {
		end("the message", err.Error())
	}
	return content
}

func (client *client) request(url string) (*http.Response, error) {
	content := client.json
	switch client.options.workload {
	case "post":
	case "encoded-post":
		content = encode(client.message)
	default:
		request, err := http.NewRequest(http.MethodGet, url, nil)
		if err != nil {
			return nil, err
		}
		return client.do(request)
	}
	request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	return client.do(request)
}

func (client *client) do(request *http.Request) (*http.Response, error) {
	response, err := (&http.Client{Transport: client.transport}).Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		response.Body.Close()
		return nil, fmt.Errorf("status %d", response.StatusCode)
	}
	return response, nil
}

// A pausingWriter counts the content, and sleeps after each MiB if it is slow.
type pausingWriter struct {
	length int64
	isSlow bool
}

func (writer *pausingWriter) Write(content []byte) (int, error) {
	before := writer.length
	writer.length += int64(len(content))
	if writer.isSlow {
		time.Sleep(time.Duration(writer.length>>20-before>>20) * slowConsumerSleep)
	}
	return len(content), nil
}

// perform makes one request and takes the whole content of its response.
func (client *client) perform(url string, contentLength int64, buffer []byte) error {
	response, err := client.request(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if workload := client.options.workload; workload == "value" || workload == "items" {
		content, err := io.ReadAll(io.LimitReader(response.Body, longestContent))
		if err != nil {
			return err
		}
		return decode(content, workload == "items")
	}
	writer := &pausingWriter{isSlow: client.options.workload == "slow"}
	if _, err := io.CopyBuffer(writer, struct{ io.Reader }{response.Body}, buffer); err != nil {
		return err
	}
	if contentLength >= 0 && writer.length != contentLength {
		return fmt.Errorf("%d bytes of content instead of %d", writer.length, contentLength)
	}
	return nil
}

func decode(content []byte, isArray bool) error {
	items := make([]item, 1)
	if isArray {
		if err := json.Unmarshal(content, &items); err != nil {
			return err
		}
	} else if err := json.Unmarshal(content, &items[0]); err != nil {
		return err
	}
	if len(items) == 0 || items[0].Name == "" {
		return fmt.Errorf("no name")
	}
	return nil
}

// run keeps so many requests in flight until there have been enough or the time is over, and returns how many there were.
func (client *client) run(url string, contentLength, requests int64, seconds float64, inFlight int) int64 {
	var begun, finished atomic.Int64
	deadline := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	var group sync.WaitGroup
	for i := 0; i < inFlight; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			buffer := make([]byte, client.options.bufferSize)
			for begun.Add(1) <= requests && (seconds == 0 || time.Now().Before(deadline)) {
				if err := client.perform(url, contentLength, buffer); err != nil {
					end(url, err.Error())
				}
				finished.Add(1)
			}
		}()
	}
	group.Wait()
	return finished.Load()
}

// openStreams opens responses that stay open, and returns when the first content of each has arrived.
func (client *client) openStreams() opening {
	opening := opening{streams: client.options.idleStreams}
	if opening.streams == 0 {
		return opening
	}
	opening.residentKiB = -readStatus().residentKiB
	opening.meter.start()
	places := make(chan struct{}, openingAtOnce)
	for i := int64(0); i < opening.streams; i++ {
		places <- struct{}{}
		go func() {
			response, err := client.request(client.options.idleURL)
			if err != nil {
				end(client.options.idleURL, err.Error())
			}
			var first [64]byte
			if _, err := response.Body.Read(first[:]); err != nil {
				end(client.options.idleURL, err.Error())
			}
			<-places
			_, err = response.Body.Read(first[:])
			end(client.options.idleURL, fmt.Sprintf("the stream has ended: %v", err))
		}()
	}
	for i := 0; i < openingAtOnce; i++ {
		places <- struct{}{}
	}
	opening.meter.stop()
	opening.residentKiB += readStatus().residentKiB
	return opening
}

func measureRequests(options options) {
	client := makeClient(options)
	warmUpURL := options.warmUpURL
	if warmUpURL == "" {
		warmUpURL = options.url
	}
	client.run(warmUpURL, -1, options.warmUpRequests, 0, options.inFlight)
	opening := client.openStreams()

	var meter meter
	meter.start()
	finished := client.run(options.url, options.contentLength, options.requests, options.seconds, options.inFlight)
	meter.stop()
	report(finished, meter, opening, nil)
}

func measureSessions(options options) {
	var meter meter
	var samples []string
	for number := int64(1); number <= options.requests; number++ {
		meter.start()
		client := makeClient(options)
		client.run(options.url, options.contentLength, 1, 0, 1)
		client.transport.CloseIdleConnections()
		meter.stop()
		if number == options.requests/5 || number == options.requests {
			status := readStatus()
			samples = append(samples, fmt.Sprintf(`{"sessions":%d,"threads":%d,"descriptors":%d,"rss_kib":%d}`,
				number, status.threads, status.descriptors, status.residentKiB))
		}
	}
	report(options.requests, meter, opening{}, samples)
}

// links loads a page, and returns the paths of its links.
func (client *client) links(url string) []string {
	response, err := client.request(url)
	if err != nil {
		end(url, err.Error())
	}
	defer response.Body.Close()
	page, err := io.ReadAll(io.LimitReader(response.Body, longestContent))
	if err != nil {
		end(url, err.Error())
	}
	var links []string
	attribute := []byte("href=")
	for {
		quote := bytes.IndexByte(page, '"')
		if quote < 0 {
			return links
		}
		isLink := bytes.HasSuffix(page[:quote], attribute)
		page = page[quote+1:]
		if !isLink {
			continue
		}
		end := bytes.IndexByte(page, '"')
		if end < 0 {
			return links
		}
		links = append(links, string(page[:end]))
		page = page[end+1:]
	}
}

// measureCrawl loads all pages of a site, as the clients in Swift do.
func measureCrawl(options options) {
	client := makeClient(options)
	var meter meter
	meter.start()
	pathBegin := len("https://")
	pathBegin += strings.IndexByte(options.url[pathBegin:], '/')
	origin, first := options.url[:pathBegin], options.url[pathBegin:]
	known := map[string]bool{first: true}
	waiting := []string{first}
	loaded := make(chan []string)
	begun, finished := 0, 0
	for {
		for begun-finished < options.inFlight && len(waiting) > 0 {
			path := waiting[len(waiting)-1]
			waiting = waiting[:len(waiting)-1]
			go func() { loaded <- client.links(origin + path) }()
			begun++
		}
		if begun == finished {
			break
		}
		for _, link := range <-loaded {
			if !known[link] {
				known[link] = true
				waiting = append(waiting, link)
			}
		}
		finished++
	}
	meter.stop()
	if int64(finished) != options.requests {
		end(options.url, fmt.Sprintf("%d pages instead of %d", finished, options.requests))
	}
	report(int64(finished), meter, opening{}, nil)
}

func main() {
	options := readOptions()
	switch options.workload {
	case "sessions":
		measureSessions(options)
	case "crawl":
		measureCrawl(options)
	default:
		measureRequests(options)
	}
}

// end ends the process as a measurement that failed.
func end(subject, message string) {
	fmt.Fprintf(os.Stderr, "BenchGo: %s: %s\n", subject, message)
	os.Exit(1)
}

func parse[Value any](value Value, err error) Value {
	if err != nil {
		end("the command line", err.Error())
	}
	return value
}

func parseInt(text string) int64 { return parse(strconv.ParseInt(text, 10, 64)) }
