// Package main is the whole control plane of a test cluster in one program: etcd, kube-apiserver, kube-scheduler,
// kube-controller-manager and kwok, which plays the kubelets. The first argument says which of them to be.
// One program instead of five, because linking is the dear part of building Kubernetes and four of the five share
// most of their code.
package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kwokconfig "sigs.k8s.io/kwok/pkg/config"
	kwokcommand "sigs.k8s.io/kwok/pkg/kwok/cmd"
	"sigs.k8s.io/kwok/pkg/log"
	"sigs.k8s.io/kwok/pkg/utils/signals"
)

// parts are the programs that this one can be. Each sees os.Args as if it had been called by its own name.
var parts = map[string]func() int{
	"etcd":                    func() int { etcdmain.Main(os.Args); return 0 },
	"kube-apiserver":          ofKubernetes(apiserver.NewAPIServerCommand),
	"kube-controller-manager": ofKubernetes(controllers.NewControllerManagerCommand),
	"kube-scheduler":          ofKubernetes(func() *cobra.Command { return scheduler.NewSchedulerCommand() }),
	"kwok":                    kwok,
}

func ofKubernetes(command func() *cobra.Command) func() int {
	return func() int { return cli.Run(command()) }
}

// kwok reads its configuration before it makes its command, since the flags' defaults come from there. The global
// flag set is replaced first: Kubernetes registers its own --version in it, which is no yes-or-no flag as kwok's is.
func kwok() int {
	pflag.CommandLine = pflag.NewFlagSet("kwok", pflag.ExitOnError)
	early := pflag.NewFlagSet("early", pflag.ContinueOnError)
	early.ParseErrorsAllowlist.UnknownFlags = true
	early.Usage = func() {}
	withLogger, _ := log.InitFlags(signals.SetupSignalContext(), early)
	configured, err := kwokconfig.InitFlags(withLogger, early)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	command := kwokcommand.NewCommand(configured)
	command.PersistentFlags().AddFlagSet(early)
	if err := command.ExecuteContext(configured); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func main() {
	if len(os.Args) > 1 {
		if part, known := parts[os.Args[1]]; known {
			os.Args = os.Args[1:]
			os.Exit(part())
		}
	}
	names := make([]string, 0, len(parts))
	for name := range parts {
		names = append(names, name)
	}
	slices.Sort(names)
	fmt.Fprintln(os.Stderr, "usage: control-plane PART [flags], where PART is one of", names)
	os.Exit(2)
}
