import NextLink from 'next/link'
import type { ComponentProps } from 'react'
import { cx } from './cx.ts'
import { LinkProgress } from './navigation-progress.tsx'

type Props = Omit<ComponentProps<typeof NextLink>, 'prefetch'> & { quiet?: boolean; prefetch?: boolean }

/** A link inside the console. `quiet` takes the colour of its surroundings and shows its line on hover. Nothing is prefetched unless asked; a click that takes its time is shown. */
export function Link({ quiet = false, prefetch = false, className, children, ...rest }: Props) {
  return (
    <NextLink {...rest} prefetch={prefetch} className={cx(quiet ? 'link-quiet' : 'link', className)}>
      {children}
      <LinkProgress />
    </NextLink>
  )
}
