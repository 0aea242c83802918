import type { OpenElement, OpenElements } from './open-elements.ts'

const cells = new Set(['td', 'th'])
const sections = new Set(['tbody', 'tfoot', 'thead'])

/** Returns the insertion mode of the nearest table part: 13.2.6.4.9 to 13.2.6.4.15. */
function placeOf({
  name,
}: OpenElement): 'table' | 'caption' | 'colgroup' | 'section' | 'row' | 'cell' {
  if (cells.has(name)) return 'cell'
  if (sections.has(name)) return 'section'
  if (name === 'tr') return 'row'
  return name === 'caption' || name === 'colgroup' ? name : 'table'
}

/** Opens a table part and its omitted parents. Has no effect outside of tables. */
export function openTablePart(open: OpenElements, name: string): void {
  for (let at = open.top.context; at !== undefined; at = open.top.context) {
    const place = placeOf(at)
    const wanted = parentOf(name)
    if (place === wanted) {
      open.popAbove(at.depth)
      // col is a void element.
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

/** Returns the omitted parent of a table part, or undefined if the current part must be closed. */
function missingIn(place: ReturnType<typeof placeOf>, name: string): string | undefined {
  if (place === 'table') return name === 'col' ? 'colgroup' : 'tbody'
  return place === 'section' && cells.has(name) ? 'tr' : undefined
}

/** Closes the current table if a new one starts directly inside it and not in a cell. */
export function leaveTable(open: OpenElements): void {
  const { context } = open.top
  if (context === undefined || ['cell', 'caption'].includes(placeOf(context))) return
  const table = open.inScope('table', 'table')
  if (table !== undefined) open.popThrough(table)
}

/** Handles the end tag of a table or of a part of it: 13.2.6.4.9 to 13.2.6.4.15. */
export function closeTablePart(open: OpenElements, name: string): void {
  const { context } = open.top
  // A caption is closed only by its own and by the table's end tag.
  if (context?.name === 'caption' && name !== 'caption' && name !== 'table') return
  const element = open.inScope(name, 'table')
  if (element !== undefined) open.popThrough(element)
}
