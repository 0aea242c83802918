import { useRef } from 'preact/hooks'
import type { FleetNode } from '../../../clients/typescript/index.ts'
import { agentPath } from '../../base/agents.ts'
import { useWidth } from '../../ui/chart/width.ts'
import { State } from '../../ui/parts.tsx'
import type { Link } from './links.ts'
import '../../ui/chart/chart.css'

interface GraphProps {
  nodes: readonly FleetNode[]
  links: readonly Link[]
}

const height = 380

/**
 * Shows agents on a circle with the links between them. The same content is in a list beside it. Agents keep their
 * places.
 */
export function Graph({ nodes, links }: GraphProps) {
  const frame = useRef<HTMLDivElement>(null)
  const width = useWidth(frame)
  const places = new Map(nodes.map(({ id }, i) => [id, placeOf(i, nodes.length, width)]))
  const drawn = links.filter(({ from, to }) => places.has(from) && places.has(to))
  const names = new Map(nodes.map(({ id, name }) => [id, name]))
  return (
    <div class="graph">
      <div ref={frame}>
        <svg
          role="img"
          aria-label="Your agents and their links. The list contains the same information."
          width={width}
          height={height}
        >
          {drawn.map(({ from, to, kind }) => (
            <line
              key={`${kind} ${from} ${to}`}
              data-kind={kind}
              x1={places.get(from)?.x}
              y1={places.get(from)?.y}
              x2={places.get(to)?.x}
              y2={places.get(to)?.y}
            />
          ))}
          {nodes.map(({ id, name, status }) => (
            <g
              key={id}
              data-state={status}
              transform={`translate(${places.get(id)?.x ?? 0} ${places.get(id)?.y ?? 0})`}
            >
              <circle r="11" />
              <text y="28" text-anchor="middle">
                {name.length > 18 ? `${name.slice(0, 17)}…` : name}
              </text>
            </g>
          ))}
        </svg>
        <ul class="legend" aria-hidden="true">
          <li data-kind="message">messages</li>
          <li data-kind="clone">clones</li>
          <li data-kind="swarm">swarms</li>
        </ul>
      </div>
      <ul class="list" aria-label="Agents and their links">
        {nodes.map(({ id, name, status }) => (
          <li key={id}>
            <div class="list-main">
              <a href={agentPath(id)}>{name}</a>
              {drawn
                .filter(({ from, to, kind }) => from === id || (to === id && kind === 'swarm'))
                .map(({ from, to, kind, words }) => (
                  <p key={`${kind} ${from} ${to}`} class="meta">
                    {words} {names.get(from === id ? to : from)}
                  </p>
                ))}
            </div>
            <State of={status} />
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The first one is at the top, the others follow clockwise. */
function placeOf(i: number, count: number, width: number): { x: number; y: number } {
  const angle = (i / count) * 2 * Math.PI - Math.PI / 2
  const alone = count === 1
  return {
    x: width / 2 + (alone ? 0 : Math.cos(angle) * Math.max(40, Math.min(width / 2 - 70, 230))),
    y: height / 2 - 8 + (alone ? 0 : Math.sin(angle) * (height / 2 - 45)),
  }
}
