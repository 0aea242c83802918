/** Public identifiers of pages in quirks mode: 13.2.6.4.1. */
const quirky =
  /^(?:html$|-\/w3c\/dtd html 4\.0 transitional\/en$|-\/\/w3o\/\/dtd w3 html|-\/\/w3c\/\/dtd (?:html (?:3|4\.0 (?:frameset|transitional)\/\/|experimental)|w3 html)|-\/\/ietf\/\/dtd html|-\/\/(?:netscape comm\.|webtechs|softquad|spyglass|sun microsystems|microsoft\/\/dtd internet|metrius|advasoft|as\/\/dtd html|sq\/\/dtd|o'reilly)|\+\/\/silmaril)/

/** Only without a system identifier. */
const quirkyAlone = /^-\/\/w3c\/\/dtd html 4\.01 (?:frameset|transitional)\/\//

/**
 * Reports whether a document type selects quirks mode. In quirks mode a table does not end a paragraph.
 * @param text the text inside `<!…>`
 */
export function isQuirky(text: string): boolean {
  const found =
    /^doctype\s*html\s*(?:(?:(public)\s*(?:"([^"]*)"|'([^']*)')|system)\s*(?:"([^"]*)"|'([^']*)')?)?\s*$/i.exec(
      text,
    )
  if (found === null) return true
  const publicId = (found[2] ?? found[3] ?? '').toLowerCase()
  const systemId = found[4] ?? found[5]
  if (systemId?.toLowerCase() === 'http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd')
    return true
  return quirky.test(publicId) || (systemId === undefined && quirkyAlone.test(publicId))
}
