interface Entry {
  /** The address as written in the page. */
  raw: string
  href: string
  text: string
}

/**
 * The maximum length in characters, as for the requested page. Resolving each link against a base of megabytes would
 * fill the memory.
 */
const longestAddress = 8192

/** Removes the login (`user:password@`), which is neither sent nor shown. */
export function withoutLogin(url: URL): URL {
  url.username = ''
  url.password = ''
  return url
}

/** Returns the given address without its login. */
export function shownAddress(address: string): string {
  const url = URL.parse(address)
  return url === null || (url.username === '' && url.password === '')
    ? address
    : withoutLogin(url).href
}

/**
 * Collects the HTTP and HTTPS addresses in a page as absolute URLs, without duplicates and overlong addresses, up to a
 * limit.
 */
export class AddressList {
  entries: Entry[] = []
  readonly #max: number
  readonly #url: URL
  /** Undefined if the base is too long; all addresses are then ignored. */
  #base: URL | undefined
  #isBased = false

  /** @param url the page's address */
  constructor(max: number, url: URL) {
    this.#max = max
    this.#url = url
    this.#base = url
  }

  /** @returns the new entry, or undefined for a duplicate or an ignored address */
  add(raw: string | undefined): Entry | undefined {
    if (raw === undefined || this.entries.length >= this.#max) return undefined
    const href = this.#absolute(raw)
    if (href === undefined || this.entries.some((each) => each.href === href)) return undefined
    const entry = { raw, href, text: '' }
    this.entries.push(entry)
    return entry
  }

  /** Applies the first base element to the whole page, including earlier addresses. */
  rebase(href: string): void {
    if (this.#isBased) return
    this.#isBased = true
    const base = URL.parse(href, this.#url.href)
    // WHATWG HTML 4.2.3.
    if (base === null || /^(?:data|javascript):$/.test(base.protocol)) return
    this.#base = base.href.length > longestAddress ? undefined : base
    const before = this.entries
    this.entries = []
    for (const { raw, text } of before) {
      const entry = this.add(raw)
      if (entry !== undefined) entry.text = text
    }
  }

  #absolute(raw: string): string | undefined {
    if (this.#base === undefined || raw.length > longestAddress) return undefined
    const url = URL.parse(raw, this.#base.href)
    if (url === null || !/^https?:$/.test(url.protocol)) return undefined
    return url.href.length > longestAddress ? undefined : url.href
  }
}
