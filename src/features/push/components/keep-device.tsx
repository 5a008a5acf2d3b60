'use client'
import { may } from '#domain/authority/matrix.ts'
import { loadedLater } from '#lib/loaded-later.tsx'
import { useSession } from '#lib/session.tsx'
import { keptDevice } from '../kept-device.ts'

const ConfirmDevice = loadedLater(() => import('./confirm-device.tsx').then((m) => m.ConfirmDevice))

/**
 * Confirms a browser on which notifications are on, once for each page that is loaded: it becomes the device of who is signed in now, speaks the
 * language of the console, and keeps working where the browser has renewed its address.
 */
export function KeepDevice() {
  const isOn = may(useSession().role, 'push.own') && typeof window !== 'undefined' && keptDevice() !== null
  return isOn ? <ConfirmDevice /> : null
}
