# A server of our own for streams in both directions, for servers.sh.

stream_ports=(streams streamsTLS streamsHTTP2)

start_streams() {
    "$folder/python/bin/python" "$scripts/streams_server.py" "${ports[streams]}" "${ports[streamsTLS]}" \
        "${ports[streamsHTTP2]}" "$folder/good.pem" "$folder/key.pem" > "$folder/streams.log" 2>&1 &
    echo $! > "$folder/streams.pid"
}
