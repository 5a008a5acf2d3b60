import type { ComponentProps } from 'react'
import { cx } from './cx.ts'
import type { IconName } from './icon-names.ts'
import shapes from './icons.svg'

type Props = Omit<ComponentProps<'svg'>, 'name' | 'children'> & { name: IconName }

/**
 * An icon beside words, or in a control that has a name: nothing that is read aloud. Its shape is in one file for all of them, which a browser keeps for
 * good, so that neither the scripts nor the rows of a list repeat it.
 */
export function Icon({ name, className, ...rest }: Props) {
  return (
    <svg aria-hidden className={cx('icon', className)} {...rest}>
      <use href={`${shapes.src}#${name}`} />
    </svg>
  )
}
