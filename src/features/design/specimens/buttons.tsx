import { RotateCw, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, IconButton } from '#ui/button.tsx'
import { buttonClass } from '#ui/button-class.ts'
import { Kbd } from '#ui/kbd.tsx'
import { Link } from '#ui/link.tsx'
import type { Specimen } from '../specimen.ts'

const KINDS = ['primary', 'secondary', 'quiet', 'danger'] as const
const SIZES = ['sm', 'md', 'lg'] as const

const Row = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-wrap items-center gap-3">{children}</div>
)

export const buttons: Specimen = {
  name: 'Button',
  of: ['button.tsx', 'kbd.tsx', 'link.tsx'],
  states: [
    {
      name: 'kinds and sizes',
      Show: () =>
        SIZES.map((size) => (
          <Row key={size}>
            {KINDS.map((kind) => (
              <Button key={kind} kind={kind} size={size}>
                {kind}
              </Button>
            ))}
          </Row>
        )),
    },
    {
      name: 'with a key and an icon',
      Show: () => (
        <Row>
          <Button kind="primary" keys="a">
            Approve
          </Button>
          <Button keys="mod+Enter">Save</Button>
          <Button icon={<RotateCw className="size-4" aria-hidden />}>Retry</Button>
          <Kbd keys="g i" />
        </Row>
      ),
    },
    {
      name: 'busy, disabled, disabled with a reason',
      Show: () =>
        KINDS.map((kind) => (
          <Row key={kind}>
            <Button kind={kind} busy>
              Saving
            </Button>
            <Button kind={kind} disabled>
              Disabled
            </Button>
            <Button kind={kind} disabledReason="Only the owner can do this">
              Refused
            </Button>
          </Row>
        )),
    },
    {
      name: 'icons',
      Show: () => (
        <Row>
          <IconButton label="Delete">
            <Trash2 aria-hidden />
          </IconButton>
          <IconButton label="Pinned" pressed>
            <RotateCw aria-hidden />
          </IconButton>
          <IconButton label="Delete, refused" disabledReason="Only the owner can do this">
            <Trash2 aria-hidden />
          </IconButton>
        </Row>
      ),
    },
    {
      name: 'links',
      Show: () => (
        <Row>
          <Link href="/design">A link</Link>
          <Link quiet href="/design">
            A quiet link
          </Link>
          <Link href="/design" className={buttonClass('primary')}>
            A link like a button
          </Link>
        </Row>
      ),
    },
  ],
}
