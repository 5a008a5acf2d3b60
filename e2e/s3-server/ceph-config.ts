/** Where a one-node cluster lives: every file below `folder`, everything on loopback. */
export type CephPlace = { folder: string; id: string; port: number; monitorPort: number; legacyPort: number }

/** What the store holds at most, in memory; S3_SERVER_BYTES changes it for programmes with large files. */
const DEVICE_BYTES = Number(process.env.S3_SERVER_BYTES ?? 2 * 1024 ** 3)

/** Less than the 5 MiB that servers usually ask of every part but the last: what is no matter of size is tested with small parts. */
const LEAST_PART_BYTES = 64 * 1024

/** The configuration of a cluster of one monitor, one memory-backed store and one S3 gateway, sized for tests. */
export const cephConfig = ({ folder, id, port, monitorPort, legacyPort }: CephPlace): string => `[global]
fsid = ${id}
mon host = [v2:127.0.0.1:${monitorPort},v1:127.0.0.1:${legacyPort}]
mon initial members = a
public network = 127.0.0.0/8
cluster network = 127.0.0.0/8
public addr = 127.0.0.1
cluster addr = 127.0.0.1
keyring = ${folder}/admin.keyring
auth allow insecure global id reclaim = false
osd pool default size = 1
osd pool default min size = 1
mon allow pool size one = true
osd crush chooseleaf type = 0
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd objectstore = memstore
memstore device bytes = ${DEVICE_BYTES}
osd max object name len = 460
run dir = ${folder}/run
log file = ${folder}/log/$name.log
admin socket = ${folder}/run/$name.$pid.asok
pid file = ${folder}/run/$name.pid
mon data = ${folder}/mon
osd data = ${folder}/osd
mon osd full ratio = .99
mon osd nearfull ratio = .98
mon osd backfillfull ratio = .98
mon data avail crit = 1
mon data avail warn = 1
mgr initial modules =

[osd]
keyring = ${folder}/osd/keyring

[client.rgw]
keyring = ${folder}/rgw/keyring
rgw data = ${folder}/rgw
rgw frontends = beast endpoint=127.0.0.1:${port}
rgw dns name =
rgw enable usage log = false
rgw enable ops log = false
rgw enable gc threads = false
rgw enable lc threads = false
rgw num rados handles = 1
rgw thread pool size = 32
rgw multipart min part size = ${LEAST_PART_BYTES}
`
