import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { go } from '../base/router.ts'
import './tabs.css'

export interface Tab {
  name: string
  to: string
}

/** Tabs with their own URLs. Arrow keys move between them, and the focus stays on the tab. */
export function Tabs({
  label,
  tabs,
  selected,
  children,
}: {
  label: string
  tabs: readonly Tab[]
  selected: number
  children: ComponentChildren
}) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { current } = list
    const tab = current?.children.item(selected)
    // Narrow screens show only some tabs, so the current one is scrolled into view without moving the page.
    if (current && tab instanceof HTMLElement)
      current.scrollLeft = tab.offsetLeft - (current.clientWidth - tab.clientWidth) / 2
  }, [selected])

  function move(event: KeyboardEvent) {
    const to = {
      ArrowRight: (selected + 1) % tabs.length,
      ArrowLeft: (selected + tabs.length - 1) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    }[event.key]
    const tab = to === undefined ? undefined : tabs[to]
    if (to === undefined || tab === undefined) return
    event.preventDefault()
    go(tab.to)
    if (event.currentTarget instanceof HTMLElement)
      event.currentTarget.parentElement
        ?.querySelectorAll<HTMLElement>('[role=tab]')
        .item(to)
        .focus()
  }

  return (
    <>
      <div ref={list} class="tabs" role="tablist" aria-label={label}>
        {tabs.map(({ name, to }, i) => (
          <button
            key={to}
            type="button"
            role="tab"
            id={`tab-${name.toLowerCase()}`}
            aria-selected={i === selected}
            aria-controls="tab-panel"
            tabIndex={i === selected ? 0 : -1}
            onClick={() => i !== selected && go(to)}
            onKeyDown={move}
          >
            {name}
          </button>
        ))}
      </div>
      <div
        id="tab-panel"
        role="tabpanel"
        aria-labelledby={`tab-${tabs[selected]?.name.toLowerCase() ?? ''}`}
      >
        {children}
      </div>
    </>
  )
}
