type X = int
app=1
