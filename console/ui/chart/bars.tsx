import { useRef, useState } from 'preact/hooks'
import { everyNth, ticksTo } from './scale.ts'
import { useWidth } from './width.ts'
import './chart.css'

export interface Series {
  name: string
  /** One value per category, at least 0. Null if unknown; it has no bar. */
  values: readonly (number | null)[]
}

interface BarsProps {
  /** The description for screen readers. A table below contains the figures. */
  label: string
  categories: readonly string[]
  series: readonly Series[]
  /** Formats a value. */
  write(value: number): string
}

const height = 220
const margin = { top: 8, bottom: 24, right: 4 }

/** Stacked bars, one per category. */
export function Bars({ label, categories, series, write }: BarsProps) {
  const frame = useRef<HTMLDivElement>(null)
  const width = useWidth(frame)
  const [pointed, setPointed] = useState<number>()
  const totals = categories.map((_, i) =>
    series.reduce((sum, { values }) => sum + at(values, i), 0),
  )
  const ticks = ticksTo(Math.max(0, ...totals))
  const top = ticks.at(-1) ?? 1
  const left = Math.max(...ticks.map((tick) => write(tick).length)) * 6.6 + 10
  const inner = Math.max(0, width - left - margin.right)
  const slot = inner / Math.max(1, categories.length)
  const bar = Math.min(44, slot * 0.72)
  const deep = height - margin.top - margin.bottom
  const y = (value: number) => margin.top + deep * (1 - value / top)
  const nth = everyNth(categories.length, inner, 52)

  function point(event: PointerEvent) {
    const box = frame.current?.getBoundingClientRect()
    const i = Math.floor((event.clientX - (box?.left ?? 0) - left) / slot)
    setPointed(i >= 0 && i < categories.length ? i : undefined)
  }

  return (
    <div class="chart">
      {series.length > 1 && <Legend series={series} />}
      <div
        ref={frame}
        class="chart-frame"
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setPointed(undefined)}
      >
        <svg role="img" aria-label={label} width={width} height={height}>
          {ticks.map((tick) => (
            <g key={tick} class="chart-grid">
              <line x1={left} x2={width - margin.right} y1={y(tick)} y2={y(tick)} />
              <text x={left - 8} y={y(tick)} dy="0.32em" text-anchor="end">
                {write(tick)}
              </text>
            </g>
          ))}
          {categories.map((category, i) => (
            <g key={category} class="chart-slot" data-pointed={pointed === i}>
              <rect
                x={left + slot * i}
                y={margin.top}
                width={slot}
                height={deep}
                class="chart-back"
              />
              {stackOf(series, i).map(({ from, to, index }) => (
                <rect
                  key={index}
                  class="chart-bar"
                  data-series={index}
                  x={left + slot * i + (slot - bar) / 2}
                  width={bar}
                  y={y(to)}
                  height={Math.max(1, y(from) - y(to))}
                />
              ))}
              {(categories.length - 1 - i) % nth === 0 && (
                <text x={left + slot * (i + 0.5)} y={height - 6} text-anchor="middle">
                  {category}
                </text>
              )}
            </g>
          ))}
        </svg>
        {pointed !== undefined && (
          <div
            class="chart-tip"
            aria-hidden="true"
            style={{
              insetInlineStart: `${Math.min(Math.max(0, left + slot * (pointed + 0.5) - 90), Math.max(0, width - 180))}px`,
            }}
          >
            <strong>{categories[pointed]}</strong>
            {series.map(({ name, values }, index) =>
              at(values, pointed) > 0 ? (
                <span key={name}>
                  <i class="swatch" data-series={index} />
                  <span>{name}</span> <b>{write(at(values, pointed))}</b>
                </span>
              ) : null,
            )}
            {series.length > 1 && (
              <span>
                <span>Together</span> <b>{write(totals[pointed] ?? 0)}</b>
              </span>
            )}
          </div>
        )}
      </div>
    </div>
  )
}

function Legend({ series }: Pick<BarsProps, 'series'>) {
  return (
    <ul class="legend" aria-hidden="true">
      {series.map(({ name }, index) => (
        <li key={name}>
          <i class="swatch" data-series={index} />
          {name}
        </li>
      ))}
    </ul>
  )
}

function at(values: readonly (number | null)[], i: number): number {
  return values[i] ?? 0
}

/** Returns the start and end of the parts of one bar, from the bottom. */
function stackOf(series: readonly Series[], i: number) {
  let from = 0
  return series.flatMap(({ values }, index) => {
    const to = from + at(values, i)
    const part = { from, to, index }
    from = to
    return part.to > part.from ? [part] : []
  })
}
