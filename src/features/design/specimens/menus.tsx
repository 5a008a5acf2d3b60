import { Ellipsis, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { buttonClass } from '#ui/button-class.ts'
import { Menu, type MenuItem } from '#ui/menu.tsx'
import { Popover } from '#ui/popover.tsx'
import { Tabs } from '#ui/tabs.tsx'
import type { Specimen } from '../specimen.ts'

const nothing = () => undefined
const ITEMS: readonly MenuItem[] = [
  { id: 'first', heading: 'This sample' },
  { id: 'copy', label: 'Copy link', run: nothing },
  { id: 'dense', label: 'Compact rows', run: nothing, checked: true },
  { id: 'refused', label: 'Archive', run: nothing, disabledReason: 'Only the owner can do this' },
  { id: 'delete', label: 'Delete', run: nothing, tone: 'danger', icon: <Trash2 aria-hidden /> },
]
const TABS = [
  { id: 'list', label: 'List', count: 12 },
  { id: 'failures', label: 'Failures' },
  { id: 'other', label: 'A third tab' },
]

function Tabbed() {
  const [tab, setTab] = useState('list')
  return (
    <Tabs label="Views of a sample" tabs={TABS} value={tab} onChange={setTab}>
      <p>Panel of “{tab}”.</p>
    </Tabs>
  )
}

function Opened() {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  return (
    <div>
      <button
        type="button"
        className={buttonClass('secondary')}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        Source 1
      </button>
      {anchor ? (
        <Popover anchor={anchor} title="Source 1" onClose={() => setAnchor(null)}>
          <p>Beans climb the sunflower and rest in its shade.</p>
        </Popover>
      ) : null}
    </div>
  )
}

export const menus: Specimen = {
  name: 'Menu, popover and tabs',
  of: ['menu.tsx', 'popover.tsx', 'tabs.tsx'],
  states: [
    {
      name: 'menu',
      press: true,
      Show: () => (
        <div>
          <Menu label="More actions" className={buttonClass('secondary')} items={ITEMS}>
            <Ellipsis className="size-4" aria-hidden />
          </Menu>
        </div>
      ),
    },
    { name: 'popover', press: true, Show: Opened },
    { name: 'tabs', Show: Tabbed },
  ],
}
