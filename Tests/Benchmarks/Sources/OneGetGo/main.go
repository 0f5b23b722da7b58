package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
)

type user struct {
	Name string `json:"name"`
}

func main() {
	response, err := http.Get(os.Args[1] + os.Args[2])
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	var user user
	if err := json.Unmarshal(content, &user); err != nil {
		panic(err)
	}
	fmt.Println(user.Name)
}
