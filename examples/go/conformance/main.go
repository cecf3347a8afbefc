// Command conformance is the program of docs/conformance.md that tests this client.
package main

import (
	"errors"
	"fmt"
	"os"
)

var errUsage = errors.New(`usage: conformance decode FILE...
       conformance rollout ENDPOINT ENV
       conformance scenario ENDPOINT ENV`)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func run(words []string) error {
	if len(words) > 1 && words[0] == "decode" {
		return show(words[1:], decodeFile)
	}
	if len(words) != 3 {
		return errUsage
	}
	endpoint, env := words[1], words[2:]
	switch words[0] {
	case "rollout":
		return show(env, func(env string) (string, error) { return rollout(endpoint, env) })
	case "scenario":
		return show(env, func(env string) (string, error) { return scenario(endpoint, env) })
	}
	return errUsage
}

// show prints the line of each subject.
func show(subjects []string, line func(string) (string, error)) error {
	for _, subject := range subjects {
		text, err := line(subject)
		if err != nil {
			return err
		}
		fmt.Println(text)
	}
	return nil
}
