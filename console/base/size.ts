import { plural } from './words.ts'

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** Formats a size, such as 12.3 kB. A kB has 1,024 bytes, as in the plans' storage. */
export function size(bytes: number): string {
  const power = Math.min(3, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  const unit = units[power] ?? 'byte'
  if (unit === 'byte') return plural(bytes, unit)
  const style = { style: 'unit', unit, maximumFractionDigits: 1 } as const
  return (bytes / 1024 ** power).toLocaleString('en', style)
}
