/**
 * This browser as a device: its permission, its service worker, its subscription. The worker is registered when a person switches notifications on,
 * and unregistered with them.
 */
import { keepDevice } from './kept-device.ts'

const SCRIPT = '/push-worker.js'

/** `blocked`: the person, or the browser, has refused; only the browser's own settings change that. */
export type DeviceState = 'unsupported' | 'blocked' | 'ready'

export function deviceState(): DeviceState {
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window))
    return 'unsupported'
  return Notification.permission === 'denied' ? 'blocked' : 'ready'
}

/** What the console keeps of a subscription. */
export type OwnSubscription = { endpoint: string; keys: { p256dh: string; auth: string } }

/** Asks for permission, which a browser allows on a click only, and subscribes; null when it was refused. */
export async function subscribeHere(serverKey: string): Promise<OwnSubscription | null> {
  if ((await Notification.requestPermission()) !== 'granted') return null
  await navigator.serviceWorker.register(SCRIPT, { scope: '/', updateViaCache: 'none' })
  const { pushManager } = await navigator.serviceWorker.ready
  // One that was made under another key can't be used, nor replaced while it is there.
  await (await pushManager.getSubscription())?.unsubscribe()
  return ownOf(await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: serverKey }))
}

/** The subscription that this browser has, without asking for anything. */
export async function currentSubscription(): Promise<OwnSubscription | null> {
  if (deviceState() !== 'ready') return null
  const registration = await navigator.serviceWorker.getRegistration('/')
  const subscription = await registration?.pushManager.getSubscription()
  return subscription ? ownOf(subscription) : null
}

export async function unsubscribeHere(): Promise<void> {
  keepDevice(null)
  if (deviceState() === 'unsupported') return
  const registration = await navigator.serviceWorker.getRegistration('/')
  await (await registration?.pushManager.getSubscription())?.unsubscribe()
  await registration?.unregister()
}

function ownOf(subscription: PushSubscription): OwnSubscription {
  const { endpoint = '', keys = {} } = subscription.toJSON()
  return { endpoint, keys: { p256dh: keys.p256dh ?? '', auth: keys.auth ?? '' } }
}

const BROWSERS = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const
const SYSTEMS = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
] as const

/** "Chrome, Android": names alone, the same in every language. */
export function deviceName(userAgent: string): string {
  const named = (of: readonly (readonly [RegExp, string])[]) => of.find(([form]) => form.test(userAgent))?.[1]
  return [named(BROWSERS) ?? 'Browser', named(SYSTEMS)].filter(Boolean).join(', ')
}
