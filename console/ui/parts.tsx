import type { ComponentChildren } from 'preact'
import { ago } from '../base/words.ts'
import { Icon, type IconName } from './icon.tsx'

/** The statuses of an agent: contract.md 7. */
export type AgentState = 'pending' | 'provisioning' | 'running' | 'stopped' | 'error'

/** A status as text. Its color only repeats it. */
export function State({ of }: { of: AgentState }) {
  return (
    <span class="state" data-state={of}>
      {of}
    </span>
  )
}

/** A relative time, with the exact one as a tooltip. */
export function Ago({ at }: { at: string }) {
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {ago(at)}
    </time>
  )
}

/** An empty state with the next step. */
export function Empty({
  icon,
  title,
  children,
  step,
}: {
  icon: IconName
  title: string
  children: ComponentChildren
  step?: ComponentChildren
}) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} />
      </span>
      <h2>{title}</h2>
      <p>{children}</p>
      {step}
    </div>
  )
}

/** A placeholder while loading. Visible only if that takes longer than a moment. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, i) => (
        <span key={i} />
      ))}
    </div>
  )
}

/** The heading of a page, with its actions. */
export function Head({
  title,
  lead,
  children,
}: {
  title: ComponentChildren
  lead?: ComponentChildren
  children?: ComponentChildren
}) {
  return (
    <header class="head">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {lead !== undefined && <p class="lead">{lead}</p>}
      </div>
      {children !== undefined && <div class="head-actions">{children}</div>}
    </header>
  )
}
