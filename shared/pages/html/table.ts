import type { OpenElement, OpenElements } from './open-elements.ts'

const cells = new Set(['td', 'th'])
const sections = new Set(['tbody', 'tfoot', 'thead'])

/** Where a table's own tags are read, by the nearest part of one: 13.2.6.4.9 to 13.2.6.4.15. */
function placeOf({
  name,
}: OpenElement): 'table' | 'caption' | 'colgroup' | 'section' | 'row' | 'cell' {
  if (cells.has(name)) return 'cell'
  if (sections.has(name)) return 'section'
  if (name === 'tr') return 'row'
  return name === 'caption' || name === 'colgroup' ? name : 'table'
}

/** Opens a part of a table, with the parts around it that its page leaves out. Outside of tables it is nothing. */
export function openTablePart(open: OpenElements, name: string): void {
  for (let at = open.top.context; at !== undefined; at = open.top.context) {
    const place = placeOf(at)
    const wanted = parentOf(name)
    if (place === wanted) {
      open.popAbove(at.depth)
      // It is void.
      if (name !== 'col') open.push(name)
      return
    }
    const missing = missingIn(place, name)
    if (missing === undefined) open.popThrough(at)
    else {
      open.popAbove(at.depth)
      if (open.push(missing) === undefined) return
    }
  }
}

function parentOf(name: string): ReturnType<typeof placeOf> {
  if (cells.has(name)) return 'row'
  if (name === 'tr') return 'section'
  return name === 'col' ? 'colgroup' : 'table'
}

/** What stands between the place and the part; undefined where the place is to be left. */
function missingIn(place: ReturnType<typeof placeOf>, name: string): string | undefined {
  if (place === 'table') return name === 'col' ? 'colgroup' : 'tbody'
  return place === 'section' && cells.has(name) ? 'tr' : undefined
}

/** A table directly inside another, and not in a cell of it, ends that one. */
export function leaveTable(open: OpenElements): void {
  const { context } = open.top
  if (context === undefined || ['cell', 'caption'].includes(placeOf(context))) return
  const table = open.inScope('table', 'table')
  if (table !== undefined) open.popThrough(table)
}

export function closeTablePart(open: OpenElements, name: string): void {
  const { context } = open.top
  // The caption is left by its own end tag and by the table's.
  if (context?.name === 'caption' && name !== 'caption' && name !== 'table') return
  const element = open.inScope(name, 'table')
  if (element !== undefined) open.popThrough(element)
}
