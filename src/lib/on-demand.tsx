'use client'
import { type ComponentType, use } from 'react'
import { whenAwake } from './awake.ts'
import { settled } from './settled.ts'

/**
 * A component that the first paint does without. Its code is loaded once the page is alive and at rest, so that it is there when it is asked for; then
 * it is drawn at once. Asked for earlier it suspends, for a `Suspense` or a `DialogOnDemand` around it.
 */
export function onDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let coming: Promise<ComponentType<Props>> | undefined
  const get = () => {
    if (coming) return coming
    const promise = load()
    promise.then(
      (component) => settled(promise, component),
      () => undefined,
    )
    coming = promise
    return promise
  }
  const forget = () => {
    coming = undefined
  }
  // Nobody has asked yet: without a network it is loaded when somebody does.
  if (typeof document !== 'undefined') void atRest().then(() => get().catch(forget))
  return function OnDemand(props: Props) {
    const Shown = use(get())
    return <Shown {...props} />
  }
}

const atRest = () =>
  whenAwake().then(
    () =>
      new Promise<void>((resolve) => {
        // Safari has no such callback.
        if (typeof requestIdleCallback === 'function') requestIdleCallback(() => resolve())
        else setTimeout(resolve, 200)
      }),
  )
