interface Entry {
  /** As the page has it. */
  raw: string
  href: string
  text: string
}

/** In characters, as for the address of a page that is asked for. Resolved against a base of megabytes, few links would fill the memory. */
const longestAddress = 8192

/** What stands before a host (`user:password@`) is sent nowhere and shown to none. */
export function withoutLogin(url: URL): URL {
  url.username = ''
  url.password = ''
  return url
}

/** An address as it was given, but for a login in it. */
export function shownAddress(given: string): string {
  const url = URL.parse(given)
  return url === null || (url.username === '' && url.password === '')
    ? given
    : withoutLogin(url).href
}

/** Addresses that a page names, absolute and of http or https, none twice, none of excessive length, the first ones only. */
export class AddressList {
  entries: Entry[] = []
  readonly #max: number
  readonly #url: URL
  /** Undefined where it is too long: then no address counts. */
  #base: URL | undefined
  #isBased = false

  /** @param url where the page came from */
  constructor(max: number, url: URL) {
    this.#max = max
    this.#url = url
    this.#base = url
  }

  /** @returns the new entry; undefined for an address that is there before, or is none of those that count */
  add(raw: string | undefined): Entry | undefined {
    if (raw === undefined || this.entries.length >= this.#max) return undefined
    const href = this.#absolute(raw)
    if (href === undefined || this.entries.some((each) => each.href === href)) return undefined
    const entry = { raw, href, text: '' }
    this.entries.push(entry)
    return entry
  }

  /** The first base element of a page holds for all of it, also for what came before. */
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
