import { BlockList, isIP } from 'node:net'

/** Addresses that a name may not lead to unless they are listed: loopback, private, link-local, shared, reserved, multicast. */
const PRIVATE_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const
/** Everything outside global unicast, and what embeds an IPv4 address in it. */
const PRIVATE_V6 = [
  ['::', 8],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const

// Two lists: one list would take every IPv4 address for a member of ::/8.
const notPublic = { ipv4: new BlockList(), ipv6: new BlockList() }
for (const [net, bits] of PRIVATE_V4) notPublic.ipv4.addSubnet(net, bits, 'ipv4')
for (const [net, bits] of PRIVATE_V6) notPublic.ipv6.addSubnet(net, bits, 'ipv6')

/** `::ffff:a.b.c.d` in any spelling as `a.b.c.d`; other addresses as they are. */
function unmapped(address: string): string {
  const dotted = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu.exec(address)
  if (dotted?.[1]) return dotted[1]
  const hex = /^(?:0*:)*:?ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/iu.exec(address)
  if (!hex) return address
  const [high, low] = [Number.parseInt(hex[1] ?? '0', 16), Number.parseInt(hex[2] ?? '0', 16)]
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
}

/** The addresses and networks (`10.1.0.0/16`) that may be reached although they are not public. Throws on anything else. */
export function addressList(entries: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of entries) {
    const [net = '', bits] = entry.split('/')
    const kind = isIP(net) === 6 ? 'ipv6' : 'ipv4'
    if (isIP(net) === 0) throw new Error(`${entry} is neither an address nor a network`)
    if (bits === undefined) list.addAddress(net, kind)
    else list.addSubnet(net, Number(bits), kind)
  }
  return list
}

/** Whether these are addresses and networks. */
export function isAddressList(entries: readonly string[]): boolean {
  try {
    return addressList(entries) !== undefined
  } catch {
    return false
  }
}

/** True when a connection to the address is allowed: it is public, or listed. What is no address is not allowed. */
export function mayConnect(address: string, listed: BlockList): boolean {
  const plain = unmapped(address)
  const kind = isIP(plain)
  if (kind === 0) return false
  const family = kind === 6 ? 'ipv6' : 'ipv4'
  return !notPublic[family].check(plain, family) || listed.check(plain, family)
}
