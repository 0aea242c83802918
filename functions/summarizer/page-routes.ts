import { extractPage } from '#shared/tools/pages/extract.ts'
import { pageExtraction, pageSummary } from '#shared/tools/pages/schema.ts'
import { summarizePage } from '#shared/tools/pages/summarize.ts'
import { answered, common, route } from './page-route.ts'

export const pageRoutes = [
  route({
    ...common,
    name: 'pages.summarize',
    path: '/api/summarize',
    summary: 'Summarize a page',
    description: 'Title, description, headings, paragraphs and word count.',
    response: pageSummary,
    handle: (ctx, { body }) =>
      answered(ctx, { path: '/api/summarize', body, work: () => summarizePage(ctx, body) }),
  }),

  route({
    ...common,
    name: 'pages.extract',
    path: '/api/extract',
    summary: 'Extract links, images and meta tags of a page',
    response: pageExtraction,
    handle: (ctx, { body }) =>
      answered(ctx, { path: '/api/extract', body, work: () => extractPage(ctx, body) }),
  }),
]
