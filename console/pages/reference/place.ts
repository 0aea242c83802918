import { signal } from '@preact/signals'

/** The fragment of the URL: an operation, a schema (`schema-Agent`), or empty. */
export const place = signal(read())

function read(): string {
  try {
    return decodeURIComponent(location.hash.slice(1))
  } catch {
    return location.hash.slice(1)
  }
}

/** Follows the fragment of the URL. */
export function startPlace(): void {
  addEventListener('hashchange', () => {
    place.value = read()
  })
}
