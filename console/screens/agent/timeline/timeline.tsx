import { useRef, useState } from 'preact/hooks'
import type { AgentDetail, AgentEvent } from '../../../../clients/typescript/index.ts'
import { useWidth } from '../../../ui/chart/width.ts'
import { Ago } from '../../../ui/parts.tsx'
import { Segments } from '../../../ui/segments.tsx'
import { Table } from '../../../ui/table.tsx'
import { type Condition, spansOf } from './spans.ts'
import '../../../ui/chart/chart.css'
import './timeline.css'

const hourMs = 3_600_000

const periods = [
  { value: '24', label: '24 hours' },
  { value: '168', label: '7 days' },
] as const

const names: Readonly<Record<Condition, string>> = {
  running: 'running',
  asleep: 'asleep',
  stopped: 'stopped',
  failed: 'failed',
  unknown: 'unknown',
}

type Hours = (typeof periods)[number]['value']

interface Mark {
  at: string
  kind: string
  text: string
  by: string
}

interface TimelineProps {
  agent: AgentDetail
  /** Newest first. */
  events: readonly AgentEvent[]
  /** The request time, in epoch milliseconds: the end of the chart. */
  to: number
  /** Returns who caused an event. */
  actorOf(by: string): string
}

/** The states and events of an agent over a day or a week, as a chart and a table. */
export function Timeline({ agent, events, to, actorOf }: TimelineProps) {
  const [hours, setHours] = useState<Hours>('24')
  const from = to - Number(hours) * hourMs
  const spans = spansOf(events, from, to)
  const marks = marksOf(agent, events, actorOf).filter(({ at }) => Date.parse(at) >= from)
  const shown = (Object.keys(names) as Condition[]).filter((condition) =>
    spans.some((span) => span.condition === condition),
  )
  return (
    <div class="stack">
      <Segments
        label="Period"
        name="period"
        options={periods}
        chosen={hours}
        onChoose={(value) => setHours(value)}
      />
      <Picture from={from} to={to} spans={spans} marks={marks} />
      <ul class="legend" aria-hidden="true">
        {shown.map((condition) => (
          <li key={condition}>
            <i class="swatch" data-condition={condition} />
            {names[condition]}
          </li>
        ))}
      </ul>
      {marks.length === 0 ? (
        <p class="meta">No events in this period.</p>
      ) : (
        <Table
          caption="Events"
          bounded
          rows={marks}
          id={({ at, kind, text }) => `${at} ${kind} ${text}`}
          columns={[
            { name: 'What', cell: ({ text }) => text },
            { name: 'Kind', cell: ({ kind }) => kind.replaceAll('_', ' ') },
            { name: 'When', cell: ({ at }) => <Ago at={at} /> },
            { name: 'By', cell: ({ by }) => by },
          ]}
        />
      )}
    </div>
  )
}

/** Returns events and the watchdog's steps, newest first. */
function marksOf(
  { watchdog }: AgentDetail,
  events: readonly AgentEvent[],
  actorOf: TimelineProps['actorOf'],
): Mark[] {
  const steps = watchdog.incidents.map(({ at, cause, step, attempt, resolvedAt }) => ({
    at,
    kind: 'watchdog',
    text: `${cause}: ${step.replaceAll('_', ' ')}, attempt ${attempt}, ${resolvedAt === null ? 'not resolved' : 'resolved'}`,
    by: 'the watchdog',
  }))
  const others = events.map(({ at, kind, text, by }) => ({
    at,
    kind,
    text,
    by: by === null ? 'unknown' : actorOf(by),
  }))
  return [...others, ...steps].toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at))
}

interface PictureProps {
  from: number
  to: number
  spans: ReturnType<typeof spansOf>
  marks: readonly Mark[]
}

const height = 72
const band = { top: 14, height: 30 }

function Picture({ from, to, spans, marks }: PictureProps) {
  const frame = useRef<HTMLDivElement>(null)
  const width = useWidth(frame)
  const x = (at: number) => ((at - from) / (to - from)) * width
  const isDay = to - from <= 24 * hourMs
  const running = spans
    .filter(({ condition }) => condition === 'running')
    .reduce((sum, span) => sum + span.to - span.from, 0)
  const label = `State of the agent in the last ${isDay ? '24 hours' : '7 days'}: running for ${Math.round((running / (to - from)) * 100)} % of it, ${marks.length} events`
  return (
    <div ref={frame} class="timeline">
      <svg role="img" aria-label={label} width={width} height={height}>
        {spans.map((span) => (
          <rect
            key={span.from}
            data-condition={span.condition}
            x={x(span.from)}
            width={Math.max(1, x(span.to) - x(span.from))}
            y={band.top}
            height={band.height}
          />
        ))}
        {marks.map(({ at, kind, text }) => (
          <path
            key={`${at} ${kind} ${text}`}
            class="timeline-mark"
            data-kind={kind}
            d={`M ${Math.min(width - 4, Math.max(4, x(Date.parse(at))))} ${band.top} l -4 -9 h 8 z`}
          />
        ))}
        {[0, 1, 2, 3].map((i) => {
          const at = from + ((to - from) * i) / 4
          return (
            <text key={i} x={x(at)} y={height - 8}>
              {timeOf(at, isDay)}
            </text>
          )
        })}
        <text x={width} y={height - 8} text-anchor="end">
          now
        </text>
      </svg>
    </div>
  )
}

function timeOf(at: number, isDay: boolean): string {
  const options: Intl.DateTimeFormatOptions = isDay
    ? { hour: '2-digit', minute: '2-digit' }
    : { weekday: 'short', day: 'numeric' }
  return new Intl.DateTimeFormat('en-GB', options).format(at)
}
