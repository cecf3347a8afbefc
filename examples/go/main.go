// Command parkclient plays load_balance on a Park server by a rule of its own, and prints how each
// episode went. An episode is ID:INPUTS:DYNAMICS, its number and its two seeds.
//
//	parkclient tcp://127.0.0.1:5555 'load_balance(servers=4)' 0:1000:2000 1:1001:2001
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"parkclient/must"
	"parkclient/park"
)

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: parkclient ENDPOINT ENV ID:INPUTS:DYNAMICS...")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := play(ctx, os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "parkclient:", err)
		os.Exit(1)
	}
}

func play(ctx context.Context, endpoint, env string, episodes []string) (err error) {
	defer must.Guard(&err)
	options := park.Options{Env: env, Slots: 2}
	for _, text := range episodes {
		options.Episodes = append(options.Episodes, must.Take(park.ParseEpisode(text)))
	}
	session := must.Take(park.Connect(ctx, endpoint, 10*time.Second))
	defer session.Close()
	stream, asked, err := session.Open(ctx, options)
	must.Check(err)
	for {
		for _, result := range asked.Ended {
			show(result, stream.Spec.Metrics)
		}
		if asked.Done {
			return nil
		}
		var servers []float64
		for _, jobs := range must.Take(asked.Observation.Values("server.jobs")) {
			servers = append(servers, fewest(jobs))
		}
		asked = must.Take(stream.Step(ctx, len(servers), park.Actions{"server": servers}))
	}
}

// fewest is the rule: the server with the fewest jobs, of several the first.
func fewest(jobs []float64) float64 {
	server := 0
	for i, count := range jobs {
		if count < jobs[server] {
			server = i
		}
	}
	return float64(server)
}

func show(r park.Result, metrics []string) {
	fmt.Printf("episode %d return %v decisions %d", r.Episode.ID, r.Return, r.Decisions)
	for _, name := range metrics {
		fmt.Printf(" %s %v", name, must.Take(r.Metric(name)))
	}
	fmt.Println()
}
