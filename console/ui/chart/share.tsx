import './chart.css'

/** A bar beside a figure that shows its share. Hidden from screen readers. */
export function Share({ part, whole }: { part: number; whole: number }) {
  const width = whole > 0 ? (part / whole) * 100 : 0
  return (
    <svg class="share" aria-hidden="true" viewBox="0 0 100 6" preserveAspectRatio="none">
      <rect width="100" height="6" rx="3" class="share-back" />
      <rect width={width} height="6" rx="3" />
    </svg>
  )
}
