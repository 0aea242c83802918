/** The properties of an element in the rules of WHATWG HTML 13.2.6, as bits. */
export const is = {
  /** Has neither content nor an end tag. */
  void: 1 << 0,
  special: 1 << 1,
  /** Formatting element: a misplaced end tag does not close the elements around it. */
  formatting: 1 << 2,
  /** Its start tag closes an open p. */
  closesP: 1 << 3,
  /** Its end tag closes every open element inside it. */
  block: 1 << 4,
  /** Allowed in the head. */
  head: 1 << 5,
  heading: 1 << 6,
  /** Parts of a table. */
  tablePart: 1 << 7,
  /** Boundaries of every scope, and of the button, list and table scopes. */
  scope: 1 << 8,
  buttonScope: 1 << 9,
  listScope: 1 << 10,
  tableScope: 1 << 11,
  /** Formatting elements outside are not visible inside. */
  marker: 1 << 12,
  /** Ends svg or math and returns to HTML's rules. */
  breakout: 1 << 13,
  /** Its text is code. */
  code: 1 << 14,
  /** True for a block or a table cell in HTML's style sheet (15.3). White space separates it from its neighbors. */
  border: 1 << 15,
} as const

const groups: readonly [bits: number, names: string][] = [
  [
    is.void,
    'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr',
  ],
  [
    is.special,
    'address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe img input keygen li link listing main marquee menu meta nav noembed noframes noscript object ol p param plaintext pre script search section select source style summary table tbody td template textarea tfoot th thead title tr track ul wbr xmp',
  ],
  [is.formatting, 'a b big code em font i nobr s small strike strong tt u'],
  [
    is.closesP | is.block,
    'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header hgroup listing main menu nav ol pre search section summary ul',
  ],
  [is.closesP, 'dd dt form h1 h2 h3 h4 h5 h6 hr li p plaintext table xmp'],
  [is.block, 'applet button marquee object'],
  [is.head, 'base basefont bgsound link meta noframes noscript script style template title'],
  [is.heading, 'h1 h2 h3 h4 h5 h6'],
  [is.tablePart, 'caption col colgroup tbody td tfoot th thead tr'],
  [is.scope, 'applet caption html marquee object table td template th'],
  [is.buttonScope, 'button'],
  [is.listScope, 'ol ul'],
  [is.tableScope, 'html table template'],
  [is.marker, 'applet caption marquee object td template th'],
  [
    is.breakout,
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var',
  ],
  [is.code, 'script style'],
  [
    is.border,
    'address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main menu nav ol optgroup option p plaintext pre search section summary table tbody td tfoot th thead tr ul xmp',
  ],
]

const bits = new Map<string, number>()
for (const [group, names] of groups)
  for (const name of names.split(' ')) bits.set(name, (bits.get(name) ?? 0) | group)

/** Returns an element's bits by its lower-case name. An unknown element is like span. */
export function kindOf(name: string): number {
  return bits.get(name) ?? 0
}

/** Foreign elements with HTML content (13.2.6.5), by the foreign root. */
export const integrationPoints = {
  svg: new Set(['foreignobject', 'desc', 'title']),
  math: new Set(['mi', 'mo', 'mn', 'ms', 'mtext']),
} as const
