#!/usr/bin/env bash
# A sweep on a real Slurm of two nodes on this machine, with everything going wrong that may: make check-slurm. It ends with the
# records and tables of a run without Slurm, byte for byte but for times. Slurm forgets tasks within seconds, so that what became of them
# comes from the accounting; it has a GPU, which is none, to see what is sent there. Needs root, for Slurm's daemons, and Python; minutes.
#
#	check.sh TABLE1 OUT
set -euo pipefail
table1=$(realpath "$1")
mkdir -p "$2" && out=$(realpath "$2")
here=$(realpath "$(dirname "$0")")
cluster=$out/cluster
export SLURM_CONF=$cluster/slurm.conf

say() { echo "$(date +%T) $*"; }
node() { slurmd -N "$1" -f "$SLURM_CONF"; }
controller() { slurmctld -f "$SLURM_CONF"; }
daemon() { cat "$cluster/$1.pid"; }
# until_true COMMAND: waits, for three minutes at most.
until_true() {
	for _ in $(seq 360); do
		if "$@"; then return; fi
		sleep 0.5
	done
	say "waited in vain: $*"
	exit 1
}
answers() { (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

rm -rf "$out"/{cluster,slurm,local,gpu}
mkdir -p "$cluster"/{state,n1,n2,munge}
chmod 700 "$cluster/munge"
head -c 128 /dev/urandom >"$cluster/munge/key"
chmod 600 "$cluster/munge/key"
cat >"$SLURM_CONF" <<CONF
ClusterName=check
SlurmctldHost=localhost
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$cluster/munge/socket
SlurmctldPort=16817
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdPidFile=$cluster/%n.pid
SlurmdLogFile=$cluster/%n.log
SlurmdSpoolDir=$cluster/%n
StateSaveLocation=$cluster/state
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=2
JobAcctGatherParams=OverMemoryKill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=sched_interval=2,bf_interval=2
ReturnToService=2
SlurmdTimeout=10
KillWait=5
MaxArraySize=11
MinJobAge=2
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePort=16819
AccountingStoragePass=$cluster/munge/socket
AccountingStorageTRES=gres/gpu
GresTypes=gpu
NodeName=n1 NodeHostname=localhost Port=16821 CPUs=1 RealMemory=4000
NodeName=n2 NodeHostname=localhost Port=16822 CPUs=1 RealMemory=4000 Gres=gpu:1
PartitionName=all Nodes=n1,n2 Default=YES
PartitionName=gpu Nodes=n2
CONF
echo "NodeName=n2 Name=gpu File=/dev/zero AutoDetect=off" >"$cluster/gres.conf"
cat >"$cluster/slurmdbd.conf" <<CONF
DbdHost=localhost
DbdPort=16819
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$cluster/munge/socket
PidFile=$cluster/slurmdbd.pid
LogFile=$cluster/slurmdbd.log
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=16820
StorageUser=slurm
StorageLoc=accounting
CONF
chmod 600 "$cluster/slurmdbd.conf"

idle() { [ "$(squeue --noheader | wc -l)" = 0 ]; }
forgotten() { [ "$(squeue --noheader --states=all | wc -l)" = 0 ]; } # but by the accounting
state_of() { sinfo --noheader --nodes="$1" --format=%T; }
is() { [[ "$(state_of "$1")" == $2* ]]; }
# tasks NODE: the processes of this check's tasks there.
tasks() {
	for pid in $(pgrep -f "^$out/slurm/slurm/bin/"); do
		if { tr '\0' '\n' <"/proc/$pid/environ"; } 2>/dev/null | grep -qx "SLURMD_NODENAME=$1"; then echo "$pid"; fi
	done
}
busy() { [ -n "$(tasks "$1")" ]; }
# restored NODE: it has tasks again, put back into service if need be. A controller that was killed starts what it has forgotten to have
# started, and takes the nodes where it still runs out of service.
restored() { busy "$1" || { if is "$1" drain; then scontrol update nodename="$1" state=resume; fi; false; }; }
kill_task() { kill -9 $(tasks "$1" | head -1) 2>/dev/null; }
# saved: a controller that dies now and starts again knows all that was submitted. What it does not know is submitted again, but only after
# a quarter of an hour.
saved() { [ "$cluster/state/job_state" -nt "$(ls -t "$out"/slurm/slurm/*/job | head -1)" ]; }
requeue_task() { scontrol requeue "$(squeue --noheader --array --states=RUNNING --nodelist="$1" --format=%A | head -1)" 2>/dev/null; }
kill_node() {
	local task=$(tasks "$1" | head -1)
	[ -n "$task" ] || return
	kill -9 $(ps -o ppid= "$task") "$task" "$(daemon "$1")" 2>/dev/null
}
sweep() { "$table1" -sweep "$here/sweep.yaml" "$@"; }
on_slurm() { sweep -out "$out/slurm" -executor slurm -slurm-task 10s "$@"; }
# watched LOG: the whole sweep, with somebody who watches it in the background.
watched() {
	(exec "$table1" -sweep "$here/sweep.yaml" -out "$out/slurm" -executor slurm -slurm-task 10s) >"$out/$1.log" 2>&1 &
	watcher=$! # the program, not a shell that waits for it
}
# accounted N: the accounting, which hears of tasks seconds later, knows of so many that ended.
accounted() { [ "$(sacct --noheader --allocations --format=State | grep -cE "COMPLETED|FAILED")" -ge "$1" ]; }
on_gpu() {
	"$table1" -sweep "$here/gpu.yaml" -out "$out/gpu" -executor slurm -slurm-args "--partition=all" \
		-slurm-gpu-args "--partition=gpu --gres=gpu:1" "$@"
}

munged --force --key-file="$cluster/munge/key" --socket="$cluster/munge/socket" --pid-file="$cluster/munge.pid" \
	--log-file="$cluster/munge/log" --seed-file="$cluster/munge/seed"
watcher=
ended() {
	kill $watcher $(tasks n1) $(tasks n2) 2>/dev/null || true
	for name in n1 n2 slurmctld slurmdbd mariadb munge; do kill "$(daemon $name)" 2>/dev/null || true; done
}
trap ended EXIT
mariadb-install-db --no-defaults --user=root --datadir="$cluster/mariadb" --skip-test-db >"$cluster/mariadb.log"
mariadbd --no-defaults --user=root --datadir="$cluster/mariadb" --socket="$cluster/mariadb.socket" --bind-address=127.0.0.1 --port=16820 \
	--skip-grant-tables --pid-file="$cluster/mariadb.pid" >>"$cluster/mariadb.log" 2>&1 &
until_true answers 16820
slurmdbd
until_true answers 16819
sacctmgr -i add cluster check >/dev/null
controller
node n1
node n2
until_true is n1 idle
until_true is n2 idle

say "a network is sent to the partition with a GPU, and k-NN is not"
on_gpu -detach >"$out/gpu.log" 2>&1 || true
until_true idle
until_true accounted 2
sacct --noheader --parsable2 --allocations --format=Partition,NodeList,AllocTRES | sort >"$out/gpu.txt"
cat "$out/gpu.txt"
grep -q "^gpu|n2|.*gres/gpu=1" "$out/gpu.txt"
[ "$(grep -c "^all|.*gres/gpu" "$out/gpu.txt")" = 0 ]
grep -h "networks were sent to GPUs" "$out"/gpu/slurm/*/*.log || grep -q npt "$out"/gpu/records/*.jsonl # it has a GPU

say "a task that exceeds its memory, and one that exceeds its time"
on_slurm -methods sleeper -slurm-task 10m -slurm-args "--mem=300M" -detach >"$out/1.log" 2>&1 || true
until_true forgotten
on_slurm -methods sleeper -slurm-task 10m -slurm-args "--time=1" -detach >"$out/2.log" 2>&1 || true
until_true forgotten

say "the whole sweep, watched"
watched 3
until_true busy n2
until_true grep -q "ended: TIMEOUT" "$out/3.log"
say "kill a task on n1"
until_true kill_task n1
sleep 3
until_true saved
say "kill the controller, and start it again"
kill -9 "$(daemon slurmctld)"
sleep 8
controller
until_true restored n2
say "kill the watcher, and watch again"
kill -9 $watcher
wait $watcher 2>/dev/null || true
watched 4
until_true grep -q "tasks in Slurm" "$out/4.log"
say "kill node n2, with what runs there"
until_true kill_node n2
until_true is n2 down
node n2
until_true busy n2
say "drain n1"
scontrol update nodename=n1 state=drain reason=check
until_true is n1 drained
until_true busy n2
say "requeue a task on n2"
until_true requeue_task n2
scontrol update nodename=n1 state=resume
say "interrupt the watcher, and watch again"
kill -TERM $watcher
wait $watcher || true
watcher=
on_slurm >"$out/5.log" 2>&1 || true
say "all tasks have ended"
sweep -out "$out/local" >"$out/local.log" 2>&1 || true
python3 "$here/compare.py" "$out/slurm" "$out/local"
