import { RELAXABLE_SETTINGS, SHOWN_SETTINGS, type SystemSettings } from '#contracts/system.contract.ts'
import { parseRemoteAddress, shownAddress } from '#server/ports/remote-address.ts'
import type { Services } from '#server/services.ts'

const textOf = (value: unknown): string => {
  if (value === undefined) return ''
  if (typeof value === 'boolean') return value ? '1' : '0'
  return Array.isArray(value) ? value.join(' ') : String(value)
}

/** The address of the remote without its credentials; empty without a remote. */
function remoteOf({ GARDEN_REMOTE: text }: Pick<Services['env'], 'GARDEN_REMOTE'>): string {
  const address = text ? parseRemoteAddress(text) : null
  return address ? shownAddress(address) : ''
}

const isRelaxed = (value: unknown): boolean => value === true || (Array.isArray(value) && value.length > 0)

/** The settings that this process runs with, by the names of their variables; none of them is a secret. */
export const getSettings = ({ env }: Pick<Services, 'env'>): SystemSettings => ({
  items: SHOWN_SETTINGS.map((name) => ({
    name,
    value: name === 'GARDEN_REMOTE' ? remoteOf(env) : textOf(env[name]),
    warning: RELAXABLE_SETTINGS.find((one) => one === name && isRelaxed(env[name])) ?? null,
  })),
})
