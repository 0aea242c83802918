import { GitAttributes, type PathAttributes } from './attributes.ts'
import { configOf, type Repository } from './repository.ts'

/** The conversion of line ends. `auto` converts text that is not already stored with CRLF. */
type LineEnds = 'kept' | 'text' | 'auto'

/**
 * The error for a file that cannot be stored as git stores it. Its message is a reason that follows the file's name.
 */
export class Unconverted extends Error {
  override readonly name = 'Unconverted'
}

/** Converts files of the work tree to the content that git stores: gitattributes(5), `core.autocrlf`. */
export class Converter {
  readonly #repository: Repository
  readonly #attributes: GitAttributes
  readonly #byDefault: LineEnds

  private constructor(repository: Repository, root: string, byDefault: LineEnds) {
    this.#repository = repository
    this.#attributes = new GitAttributes(root)
    this.#byDefault = byDefault
  }

  static async open(repository: Repository, root: string): Promise<Converter> {
    const setting = (await configOf(repository, 'core.autocrlf'))?.toLowerCase() ?? 'false'
    const isOn = /^(?:true|yes|on|input|[1-9]\d*)$/.test(setting)
    return new Converter(repository, root, isOn ? 'auto' : 'kept')
  }

  /** Returns the reason if a file needs a conversion that is not supported; otherwise undefined. */
  async refusal(path: string): Promise<string | undefined> {
    return refusalOf(await this.#attributes.of(path))
  }

  /** True if the content that git stores may differ from the file in the work tree. */
  async converts(path: string): Promise<boolean> {
    const attributes = await this.#attributes.of(path)
    return attributes.get('ident') === true || this.#lineEnds(attributes) !== 'kept'
  }

  /**
   * @param before the index's blob of the path
   * @throws Unconverted
   */
  async stored(path: string, content: Buffer, before: string | undefined): Promise<Buffer> {
    const attributes = await this.#attributes.of(path)
    const refusal = refusalOf(attributes)
    if (refusal !== undefined) throw new Unconverted(refusal)
    if (attributes.get('ident') === true && content.includes('$Id'))
      throw new Unconverted('contains an $Id$ that git would expand (the attribute ident)')
    const lineEnds = this.#lineEnds(attributes)
    if (lineEnds === 'kept' || !content.includes('\r\n')) return content
    if (lineEnds === 'auto' && (isBinary(content) || (await this.#hasCrlf(before)))) return content
    return Buffer.from(content.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')
  }

  #lineEnds(attributes: PathAttributes): LineEnds {
    const text = attributes.get('text') ?? attributes.get('crlf')
    if (text === false) return 'kept'
    if (text === 'auto') return 'auto'
    const eol = attributes.get('eol')
    if (text === true || text === 'input' || eol === 'lf' || eol === 'crlf') return 'text'
    return this.#byDefault
  }

  async #hasCrlf(oid: string | undefined): Promise<boolean> {
    if (oid === undefined) return false
    const { git, at } = this.#repository
    const blob = Buffer.from((await git.readBlob({ ...at, oid })).blob)
    return blob.includes('\r\n') && !isBinary(blob)
  }
}

function refusalOf(attributes: PathAttributes): string | undefined {
  const filter = attributes.get('filter')
  if (typeof filter === 'string') return `requires the filter ${filter}, which is not supported`
  const encoding = attributes.get('working-tree-encoding')
  if (typeof encoding === 'string' && !/^utf-?8$/i.test(encoding))
    return `has the working-tree-encoding ${encoding}, which is not supported`
  return undefined
}

/** Applies git's heuristic (convert.c): a zero byte, a lone CR, or one unprintable byte in 128. */
function isBinary(content: Buffer): boolean {
  let printable = 0
  let other = 0
  for (let at = 0; at < content.length; at++) {
    const byte = content[at] ?? 0
    if (byte === 13) {
      if (content[at + 1] !== 10) return true
    } else if (byte === 0) return true
    else if (byte === 10) continue
    else if (byte === 127 || (byte < 32 && ![8, 9, 12, 27].includes(byte))) other++
    else printable++
  }
  // The end-of-file mark of DOS.
  if (content.at(-1) === 26) other--
  return printable >> 7 < other
}
