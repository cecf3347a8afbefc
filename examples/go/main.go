// Command parkclient plays load_balance on a Park server, with a rule of its own, and prints how
// each episode went. An episode is ID:INPUTS:DYNAMICS, its number and its two seeds.
//
//	parkclient tcp://127.0.0.1:5555 'load_balance(servers=4)' 0:1000:2000 1:1001:2001
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"parkclient/park"
)

// fewestJobs is the rule: the server with the fewest jobs, of several the first.
func fewestJobs(jobs []float64) (server int) {
	for i, count := range jobs {
		if count < jobs[server] {
			server = i
		}
	}
	return server
}

func play(ctx context.Context, endpoint, env string, episodes []park.Episode) error {
	session, err := park.Connect(ctx, endpoint, 10*time.Second)
	if err != nil {
		return err
	}
	defer session.Close()
	options := park.Options{Env: env, Slots: 2, Episodes: episodes}
	stream, decisions, err := session.Open(ctx, options)
	for err == nil {
		for _, result := range decisions.Ended {
			show(result, stream.Spec.Metrics)
		}
		if decisions.Done {
			return nil
		}
		var jobs [][]float64
		if jobs, err = decisions.Observation.Values("server.jobs"); err != nil {
			return err
		}
		var servers []float64
		for _, row := range jobs {
			servers = append(servers, float64(fewestJobs(row)))
		}
		decisions, err = stream.Step(ctx, len(jobs), park.Actions{"server": servers})
	}
	return err
}

func show(result park.Result, metrics []string) {
	fmt.Printf("episode %d return %v decisions %d", result.Episode.ID, result.Return, result.Decisions)
	for i, name := range metrics {
		fmt.Printf(" %s %v", name, result.Metrics[i])
	}
	fmt.Println()
}

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: parkclient ENDPOINT ENV ID:INPUTS:DYNAMICS...")
		os.Exit(2)
	}
	var episodes []park.Episode
	for _, text := range os.Args[3:] {
		var e park.Episode
		if _, err := fmt.Sscanf(text, "%d:%d:%d", &e.ID, &e.Inputs, &e.Dynamics); err != nil {
			fmt.Fprintf(os.Stderr, "parkclient: episode '%s' is no ID:INPUTS:DYNAMICS\n", text)
			os.Exit(2)
		}
		episodes = append(episodes, e)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := play(ctx, os.Args[1], os.Args[2], episodes); err != nil {
		fmt.Fprintln(os.Stderr, "parkclient:", err)
		os.Exit(1)
	}
}
