// The function commands of the real kpt (eval, render, source, sink), built from its public module for tests. The whole
// of kpt can't be built from the module proxy: its rollouts command needs a module that isn't served.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/kptdev/kpt/commands/fn"
	"github.com/kptdev/kpt/pkg/lib/errors/resolver"
	"github.com/kptdev/kpt/pkg/printer"
	"github.com/spf13/cobra"
	"sigs.k8s.io/kustomize/kyaml/commandutil"
)

func main() {
	if err := os.Setenv(commandutil.EnableAlphaCommmandsEnvName, "true"); err != nil {
		panic(err)
	}
	kpt := &cobra.Command{Use: "kpt", SilenceUsage: true, SilenceErrors: true}
	kpt.PersistentFlags().BoolVar(&printer.TruncateOutput, "truncate-output", true, "truncate long output")
	ctx := printer.WithContext(context.Background(), printer.New(os.Stdout, os.Stderr))
	kpt.AddCommand(fn.GetCommand(ctx, "kpt"))
	err := kpt.Execute()
	if err == nil {
		return
	}
	if resolved, ok := resolver.ResolveError(err); ok {
		fmt.Fprintln(os.Stderr, resolved.Message)
		os.Exit(resolved.ExitCode)
	}
	fmt.Fprintln(os.Stderr, "Error:", err)
	os.Exit(1)
}
