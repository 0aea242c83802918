import * as z from 'zod'

/** spec.md, Web summarizer. */
export const pageRequest = z
  .object({
    url: z
      .string({ error: 'url required' })
      .trim()
      .min(1, 'url required')
      .max(8192, 'url must have at most 8192 characters'),
  })
  .meta({ id: 'PageRequest' })

const fetchedAt = z.iso.datetime()

export const pageSummary = z
  .object({
    url: z.string().describe('The requested URL, without credentials'),
    title: z.string().describe('The title element, or the first h1'),
    description: z.string().describe('The meta description, or og:description'),
    headings: z.array(z.string()).describe('Texts of h1 to h3 without duplicates, at most 20'),
    paragraphs: z.array(z.string()).describe('Texts of p without duplicates, at most 10'),
    wordCount: z.number().int().describe('Words in the body, separated by white space'),
    fetchedAt,
  })
  .meta({ id: 'PageSummary' })

export const pageExtraction = z
  .object({
    url: z.string().describe('The requested URL, without credentials'),
    links: z
      .array(z.object({ href: z.string(), text: z.string() }))
      .describe('Without duplicates, at most 50'),
    images: z
      .array(z.object({ src: z.string(), alt: z.string() }))
      .describe('Without duplicates, at most 20'),
    meta: z.record(z.string(), z.string()).describe('og:*, twitter:* and description'),
    fetchedAt,
  })
  .meta({ id: 'PageExtraction' })

export const pageArticle = z
  .object({
    url: z.string().describe('The requested URL, without credentials'),
    title: z.string(),
    byline: z.string().nullable().describe('The author, as the page names it'),
    siteName: z.string().nullable(),
    language: z.string().nullable().describe('A language tag, such as en or pt-BR'),
    markdown: z
      .string()
      .describe('The article without navigation, as Markdown with tables; links are absolute'),
    wordCount: z.number().int().describe('Words in the article, separated by white space'),
    fetchedAt,
  })
  .meta({ id: 'PageArticle' })

export type PageArticle = z.output<typeof pageArticle>
export type PageSummary = z.output<typeof pageSummary>
export type PageExtraction = z.output<typeof pageExtraction>
