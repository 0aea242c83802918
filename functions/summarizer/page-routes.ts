import { extractPage } from '../../shared/pages/extract.ts'
import { pageExtraction, pageSummary } from '../../shared/pages/schema.ts'
import { summarizePage } from '../../shared/pages/summarize.ts'
import { answered, common, route } from './page-route.ts'

export const pageRoutes = [
  route({
    ...common,
    name: 'pages.summarize',
    path: '/api/summarize',
    summary: 'What a page is about: title, description, headings, paragraphs, words',
    response: pageSummary,
    handle: (ctx, { body }) =>
      answered(ctx, { path: '/api/summarize', body, work: () => summarizePage(ctx, body) }),
  }),

  route({
    ...common,
    name: 'pages.extract',
    path: '/api/extract',
    summary: 'What a page leads to and shows: links, images, meta tags',
    response: pageExtraction,
    handle: (ctx, { body }) =>
      answered(ctx, { path: '/api/extract', body, work: () => extractPage(ctx, body) }),
  }),
]
