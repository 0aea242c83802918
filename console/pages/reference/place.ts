import { signal } from '@preact/signals'

/** What the address names: an operation, a schema (`schema-Agent`), or nothing. */
export const place = signal(read())

function read(): string {
  try {
    return decodeURIComponent(location.hash.slice(1))
  } catch {
    return location.hash.slice(1)
  }
}

/** Follows the address; `moved` is told of each step but the first. */
export function startPlace(moved: () => void): void {
  addEventListener('hashchange', () => {
    place.value = read()
    moved()
  })
}
