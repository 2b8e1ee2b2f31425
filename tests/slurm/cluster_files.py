# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""The folders and files of a cluster (see cluster.py)."""

from __future__ import annotations

import argparse
import os
import pathlib
import pwd
import shutil

FOLDERS = ("dev", "etc", "jobs", "log", "munge", "run", "spool", "state", "tmp")

# What is odd in it: a job that is queued again waits as long as a credential lives (cred_expire). The nodes of one host
# fail under mpi/pmix if their TmpFS is the same. With task/affinity, steps fail that claim more cores than there are.
SLURM_CONF = """\
ClusterName=slipway
SlurmctldHost={controller}
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={root}/munge/socket,cred_expire=30
CredType=cred/munge
StateSaveLocation={root}/state
SlurmdSpoolDir={root}/spool/%n
TmpFS={root}/tmp/%n
TaskProlog={root}/etc/task_prolog
SlurmctldPidFile={root}/run/slurmctld.pid
SlurmdPidFile={root}/run/slurmd.%n.pid
SlurmctldLogFile={root}/log/slurmctld.log
SlurmdLogFile={root}/log/slurmd.%n.log
SlurmctldDebug=verbose
SlurmdDebug=verbose
MailProg=/bin/true
SwitchType=switch/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=1
PropagateResourceLimits=NONE
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc={root}/log/jobcomp.log
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=5
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
KillWait=5
SlurmctldTimeout=30
SlurmdTimeout={node_timeout}
MessageTimeout=10
MinJobAge=3600
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
NODE = "NodeName={name} {address} Sockets=1 CoresPerSocket={cores} ThreadsPerCore=1 RealMemory=2000 State=UNKNOWN"
CGROUP_CONF = "CgroupPlugin=cgroup/v1\n"  # one must be named; this one touches none unless another plugin asks
MPI_CONF = "PMIxCollFence=ring\n"         # the default one is no barrier on few nodes
TASK_PROLOG = """\
#!/bin/sh
echo "export TMPDIR={root}/tmp/$SLURMD_NODENAME"
"""


def write_files(root: pathlib.Path, options: argparse.Namespace, kind) -> None:
    """Wipes what an earlier cluster left."""
    for folder in FOLDERS:
        shutil.rmtree(root / folder, ignore_errors=True)
        (root / folder).mkdir(mode=0o755)
    names = {number: f"node{number}" for number in range(1, options.nodes + 1)}
    for name in names.values():
        (root / "spool" / name).mkdir()
    for name in ("login", *names.values()):
        (root / "tmp" / name).mkdir()
    key = root / "munge" / "key"
    key.touch(mode=0o600)
    key.write_bytes(os.urandom(1024))
    conf = SLURM_CONF.format(controller=kind.controller, port=kind.port, root=root, node_timeout=options.node_timeout,
                             user=pwd.getpwuid(os.geteuid()).pw_name)
    lines = [NODE.format(name=name, address=kind.address(number), cores=options.cores)
             for number, name in names.items()]
    etc = root / "etc"
    if options.gpus:
        for gpu in range(options.gpus):  # devices: a plain file counts as a GPU, but no job is told of it
            (root / "dev" / f"gpu{gpu}").symlink_to("/dev/null")
        lines = ["GresTypes=gpu", *(f"{line} Gres=gpu:fake:{options.gpus}" for line in lines)]
        (etc / "gres.conf").write_text(f"NodeName=node[1-{options.nodes}] Name=gpu Type=fake "
                                       f"File={root}/dev/gpu[0-{options.gpus - 1}]\n", encoding="utf-8")
    conf += "\n".join([*lines, *options.extra_line, ""])
    for name, text in {"slurm.conf": conf, "cgroup.conf": CGROUP_CONF, "mpi.conf": MPI_CONF,
                       "task_prolog": TASK_PROLOG.format(root=root)}.items():
        (etc / name).write_text(text, encoding="utf-8")
    (etc / "task_prolog").chmod(0o755)
