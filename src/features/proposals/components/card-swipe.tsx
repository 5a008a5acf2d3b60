'use client'
import { lazy, Suspense } from 'react'
import { useTouchPhone } from '../hooks/use-touch-phone.ts'
import type { SwipeProps } from './swipe.tsx'

/** Loaded on touch phones alone. */
const Swipe = lazy(() => import('./swipe.tsx').then((m) => ({ default: m.Swipe })))

/** Lets the open proposal be approved, or passed by, with a swipe where there is a finger to do it. */
export function CardSwipe(props: SwipeProps) {
  const isTouched = useTouchPhone()
  return isTouched ? (
    <Suspense fallback={null}>
      <Swipe {...props} />
    </Suspense>
  ) : null
}
