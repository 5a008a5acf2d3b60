import type { ReactNode } from 'react'
import { AuthFrame } from '#features/shell/index.ts'

/** The auth pages: sign-in, password, zone entry, signed out, external links. */
export default function AuthLayout({ children }: { children: ReactNode }) {
  return <AuthFrame>{children}</AuthFrame>
}
