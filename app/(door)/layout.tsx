import type { ReactNode } from 'react'
import { DoorFrame } from '#features/shell/index.ts'

/** Pages before the door: signing in, entering a zone, farewell. */
export default function DoorLayout({ children }: { children: ReactNode }) {
  return <DoorFrame>{children}</DoorFrame>
}
