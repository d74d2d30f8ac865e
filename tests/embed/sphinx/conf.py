
# The site around the recipe: a title, and arrow keys that turn pages.
project = "A book"
html_theme_options = {"navigation_with_keys": True}
